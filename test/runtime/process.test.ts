import {
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process'
import { once } from 'node:events'
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOutput } from '../../lib/runtime/node/output'
import { temporaryFolder } from '../support/folders'

const test = suite('runtime/process')

const folder = temporaryFolder()
const program = join(folder, 'program.mjs')
buildSync({
  entryPoints: ['test/runtime/program.ts'],
  outfile: program,
  ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'error' },
  mainFields: ['module', 'main'],
  loader: { '.md': 'text' },
})

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  readonly started: Promise<void>
}

const start = (
  name: string,
  options: { readonly paused?: boolean; readonly env?: NodeJS.ProcessEnv } = {},
): Running => {
  const child = spawn(process.execPath, [program, name], { env: options.env })
  let [stdout, stderr] = ['', '']
  let onStarted = (): void => undefined
  const started = new Promise<void>((resolve) => {
    onStarted = resolve
  })
  if (!options.paused) child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += String(chunk)
    if (stderr.includes('started\n')) onStarted()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('exit', (code, signal) => {
      // Streams of a paused child never close by themselves.
      if (options.paused) child.stdout.destroy()
      child.on('close', () => resolve({ code, signal, stdout, stderr }))
    })
  })
  return { child, ended, started }
}

/** Bash takes Node's pipe for a remote login, and would read the user's start-up file. */
const inShell = (line: string) =>
  spawnSync('bash', ['--norc', '-c', line, program, process.execPath], {
    encoding: 'utf8',
    cwd: folder,
  })

const interruptedOutput = {
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'started\nsvc: interrupted\n',
}

test('a terminal that was told no size has no width', () => {
  const own = Object.getOwnPropertyDescriptor(process.stderr, 'columns')
  const widthWith = (columns: number) => {
    Object.defineProperty(process.stderr, 'columns', { value: columns, configurable: true })
    return createOutput(2).columns
  }
  assert.equal([widthWith(0), widthWith(120)], [undefined, 120])
  if (own) Object.defineProperty(process.stderr, 'columns', own)
  else Reflect.deleteProperty(process.stderr, 'columns')
})

test('five megabytes arrive whole through a pipe', () => {
  const { stdout, stderr } = inShell('"$1" "$0" big | wc -c')
  assert.equal([stdout.trim(), stderr], [String((5 << 20) + 1), ''])
})

test('five megabytes arrive whole at a slow reader', () => {
  const { stdout } = inShell('"$1" "$0" big | (sleep 0.3; wc -c)')
  assert.is(stdout.trim(), String((5 << 20) + 1))
})

test('a reader that goes away ends it quietly, with its own exit code', () => {
  for (const [name, code] of [
    ['big', '0'],
    ['small', '8'],
    ['nonsense', '1'],
  ]) {
    const { stderr } = inShell(`"$1" "$0" ${name} | head -c 0; echo "\${PIPESTATUS[0]}" >&2`)
    assert.is(stderr.replace(/^svc: unknown.*\nRun.*\n/, ''), `${code}\n`, name)
  }
})

test('a closed stderr is no reason to fail otherwise', () => {
  const closed = inShell('{ "$1" "$0" nonsense 3>&1 1>&3 3>&- 2>&-; echo $?; } | cat')
  assert.match(closed.stdout, /"kind":"usage".*\n1\n$/)
  const gone = inShell('{ { "$1" "$0" nonsense; echo $? >&3; } 2>&1 >/dev/null | true; } 3>&1')
  assert.is(gone.stdout, '1\n')
})

if (process.platform === 'linux') {
  test('a full disk is told on stderr', () => {
    const { stderr, status } = inShell('"$1" "$0" small > /dev/full')
    assert.equal([status, stderr], [1, 'svc: write stdout: no space left on device\n'])
  })
}

test('stdin: pipe, file, device, directory, nothing', () => {
  writeFileSync(join(folder, 'input'), 'hello')
  const cases: ReadonlyArray<readonly [string, string | RegExp]> = [
    ['printf hello | "$1" "$0" stdin', '5 bytes, terminal false\n'],
    ['(sleep 0.2; printf hello) | "$1" "$0" stdin', '5 bytes, terminal false\n'],
    ['"$1" "$0" stdin < input', '5 bytes, terminal false\n'],
    ['"$1" "$0" stdin < /dev/null', '0 bytes, terminal false\n'],
    ['"$1" "$0" stdin <&-', '0 bytes, terminal false\n'],
    ['"$1" "$0" stdin < /', /"message":"EISDIR"/],
    ['head -c 300000 /dev/zero | "$1" "$0" stdin', '100001 bytes, terminal false\n'],
    ['yes | "$1" "$0" stdin', '100001 bytes, terminal false\n'],
    ['"$1" "$0" stdin < /dev/zero', '100001 bytes, terminal false\n'],
    ['READ=<(printf hello) "$1" "$0" read', '5 bytes\n'],
  ]
  for (const [line, expected] of cases) {
    const { stdout, stderr } = inShell(line)
    if (typeof expected === 'string') assert.is(stdout, expected, line + stderr)
    else assert.match(stdout, expected)
  }
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  for (const [name, title] of [
    ['wait-stdin', 'that waits for stdin'],
    ['deaf', 'that does not listen, whatever it holds open'],
  ] as const) {
    test(`${signal} ends a command ${title}`, async () => {
      const { child, ended, started } = start(name)
      await started
      child.kill(signal)
      assert.equal(await ended, { code: 130, signal: null, ...interruptedOutput })
    })
  }
}

test('a second signal ends it at once: nobody waits for the grace or writes the envelope', async () => {
  const { child, ended, started } = start('patient')
  await started
  child.kill('SIGINT')
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  assert.equal(await ended, { code: 130, signal: null, stdout: '', stderr: 'started\nsignalled\n' })
})

test('a signal ends a write that nobody reads', async () => {
  const { child, ended, started } = start('flood', { paused: true })
  await started
  // The beginning of what it writes; the rest finds no room.
  await once(child.stdout, 'readable')
  child.kill('SIGINT')
  const { code, signal, stderr } = await ended
  // A thread is still in the system's write: the shell sees 130 either way.
  assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
  assert.is(stderr, 'started\n')
})

test('a signal ends the wait for the writer of a named pipe', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const { child, ended, started } = start('read', { env: { READ: pipe } })
  await started
  child.kill('SIGINT')
  assert.is((await ended).code, 130)
})

test('a handle that was left open does not hold the exit', async () => {
  const { ended } = start('leftover')
  const { code, stdout } = await ended
  assert.equal([code, stdout], [0, 'done\n'])
})

test('exceptions outside of the command are internal, without a trace', async () => {
  for (const [name, message] of [
    ['stray', 'stray exception'],
    ['unhandled', 'unhandled rejection'],
  ] as const) {
    const stdout = `{"error":{"kind":"internal","message":"${message}"}}\n`
    assert.equal(await start(name).ended, {
      code: 1,
      signal: null,
      stdout,
      stderr: `svc: ${message}\n`,
    })
  }
})

test("Node's warnings stay off stderr", async () => {
  const { stdout, stderr } = await start('warn').ended
  assert.equal([stdout, stderr], ['warned\n', ''])
})

test('output that is a file ends up in the file', () => {
  const out = join(folder, 'out')
  const stdio = ['ignore', openSync(out, 'w'), 'inherit'] as const
  assert.is(spawnSync(process.execPath, [program, 'big'], { stdio: [...stdio] }).status, 0)
  assert.is(inShell('wc -c < out').stdout.trim(), String((5 << 20) + 1))
})

test.run()
