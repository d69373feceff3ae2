import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('runtime/process')

const folder = mkdtempSync(join(tmpdir(), 'svc-process-'))
test.after(() => rmSync(folder, { recursive: true }))
const program = join(folder, 'program.mjs')
buildSync({
  entryPoints: ['test/runtime/program.ts'],
  outfile: program,
  ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'error' },
  mainFields: ['module', 'main'],
})

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds from `mark` to the end. */
  readonly took: number
}

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  readonly started: Promise<void>
  readonly mark: () => void
}

const start = (
  name: string,
  options: { readonly paused?: boolean; readonly env?: NodeJS.ProcessEnv } = {},
): Running => {
  const child = spawn(process.execPath, [program, name], { env: options.env })
  let [stdout, stderr, from] = ['', '', performance.now()]
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
      const took = performance.now() - from
      // Streams of a paused child never close by themselves.
      if (options.paused) child.stdout.destroy()
      child.on('close', () => resolve({ code, signal, stdout, stderr, took }))
    })
  })
  return { child, ended, started, mark: () => (from = performance.now()) }
}

const inShell = (line: string) =>
  spawnSync('bash', ['-c', line, program, process.execPath], { encoding: 'utf8', cwd: folder })

const interruptedOutput = {
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'started\nsvc: interrupted\n',
}

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

if (existsSync('/dev/full')) {
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

/** How much slower than an idle machine this one is just now, by the start of an empty program. */
const slowness = (): number => {
  const from = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return Math.max(1, (performance.now() - from) / 60)
}

/** Runs up to three times until it is within the limit: other processes may slow a run down. */
const within = async (limit: number, run: () => Promise<number>): Promise<void> => {
  const times: number[] = []
  while (times.length < 3) {
    const took = (await run()) / slowness()
    if (took < limit) return
    times.push(took)
  }
  assert.unreachable(`over ${limit} ms: ${times.join(', ')}`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  for (const [name, title] of [
    ['wait-stdin', 'that waits for stdin'],
    ['deaf', 'that does not listen, whatever it holds open'],
  ] as const) {
    test(`${signal} ends a command ${title}`, () =>
      within(200, async () => {
        const { child, ended, started, mark } = start(name)
        await started
        mark()
        child.kill(signal)
        const { took, ...rest } = await ended
        assert.equal(rest, { code: 130, signal: null, ...interruptedOutput })
        return took
      }))
  }
}

test('a second signal ends it at once', () =>
  within(90, async () => {
    const { child, ended, started, mark } = start('deaf')
    await started
    mark()
    child.kill('SIGINT')
    await new Promise((resolve) => setTimeout(resolve, 30))
    child.kill('SIGINT')
    const { code, took } = await ended
    assert.is(code, 130)
    return took
  }))

test('a signal ends a write that nobody reads', () =>
  within(200, async () => {
    const { child, ended, started, mark } = start('flood', { paused: true })
    await started
    await new Promise((resolve) => setTimeout(resolve, 100))
    mark()
    child.kill('SIGINT')
    const { code, signal, took, stderr } = await ended
    // A thread is still in the system's write: the shell sees 130 either way.
    assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
    assert.is(stderr, 'started\n')
    return took
  }))

test('a signal ends the wait for the writer of a named pipe', async () => {
  const pipe = join(folder, 'pipe')
  try {
    execFileSync('mkfifo', [pipe])
  } catch {
    return
  }
  await within(200, async () => {
    const { child, ended, started, mark } = start('read', { env: { READ: pipe } })
    await started
    mark()
    child.kill('SIGINT')
    const { code, took } = await ended
    assert.is(code, 130)
    return took
  })
})

test('a handle that was left open does not hold the exit', async () => {
  const { ended } = start('leftover')
  const { code, stdout, took } = await ended
  assert.equal([code, stdout], [0, 'done\n'])
  assert.ok(took < 5000)
})

test('exceptions outside of the command are internal, without a trace', async () => {
  for (const [name, message] of [
    ['stray', 'stray exception'],
    ['unhandled', 'unhandled rejection'],
  ] as const) {
    const { took: _, ...rest } = await start(name).ended
    const stdout = `{"error":{"kind":"internal","message":"${message}"}}\n`
    assert.equal(rest, { code: 1, signal: null, stdout, stderr: `svc: ${message}\n` })
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
