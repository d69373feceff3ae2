import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readExample } from '../support/documents'
import { root } from '../support/folders'
import { packProgram } from '../support/package'
import { folder, runInShell, start } from '../support/program'

const test = suite('process: the programs of the page on the library')

/** Runs a program of the page, changed by `edit`, as a project that has the package installed does. */
const runExample = (name: string, url: string, command = `'${process.execPath}' ${name}.mjs`) => {
  writeFileSync(join(folder, `${name}.mjs`), readExample('js', name))
  return runInShell(command, { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'any', PORT: '0' })
}

test.before(() => {
  const install = ['install', '--offline', '--no-save', packProgram()]
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' })
  assert.is(status, 0, stderr)
})

test('each example of the library page does what it says', async () => {
  const run = join(root, 'fixtures/calibrate/policy/run.jsonl')
  const calibrate = `calibrate -i ${run} --target billing:precision=0.7 -o policy.json`
  await start(calibrate.split(' '), { env: {} }).ended
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.waitForStderr(/http:\S+/)).trim()

  const ask = await runExample('library-ask', url)
  assert.match(ask.stdout, /^0\.\d+\ncharge\n$/, ask.stderr)
  writeFileSync(join(folder, 'parcel.png'), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  const image = await runExample('library-image', url)
  assert.match(image.stderr, 'images are not supported by this engine')
  const first = await runExample('library-batch', url)
  const second = await runExample('library-batch', url)
  assert.equal([first.stdout, second.stdout], ['2 asked\n', '0 asked\n'], first.stderr)
  const post = `const [, , body, port] = process.argv
    const { status } = await fetch('http://127.0.0.1:' + port, { method: 'POST', body })
    process.stdout.write(status + ' ')`
  writeFileSync(join(folder, 'post.mjs'), post)
  const request = `'${process.execPath}' library-gate.mjs > port & pid=$!
    until [ -s port ]; do sleep 0.05; done
    for state in 'Does the customer ask for a refund?' 'Hello.'; do
      '${process.execPath}' post.mjs "$state" $(cat port)
    done; kill $pid`
  const gate = await runExample('library-gate', url, request)
  assert.is(gate.stdout, '200 422 ', gate.stderr)
  const policy = await runExample('library-policy', url)
  assert.match(policy.stdout, /^(answer it|let a person look)\n$/, policy.stderr)
  writeFileSync(join(folder, 'other.mjs'), "import 'typed-questions/dist/library.mjs'")
  const hidden = await runInShell(`'${process.execPath}' other.mjs`, {})
  assert.match(hidden.stderr, 'ERR_PACKAGE_PATH_NOT_EXPORTED')
  const files = [
    'package.json',
    'svc-policy.schema.json',
    'svc-review.schema.json',
    'svc-scenario.schema.json',
    'svc-openapi.json',
  ]
  const imports = files.map((name) => `import '${`typed-questions/${name}`}' with { type: 'json' }`)
  writeFileSync(join(folder, 'files.mjs'), imports.join('\n'))
  const found = await runInShell(`'${process.execPath}' --no-warnings files.mjs`, {})
  assert.equal([found.code, found.stderr], [0, ''])

  service.child.kill()
  await service.ended
})

/** A TypeScript program whose wrong uses the compiler must find. */
const typed = `
import { choice, createClient, score } from 'typed-questions'
const client = createClient({ provider: 'openai', apiKey: 'k', fetch })
const { answers } = await client.ask({}, { t: choice('?', ['a', 'b']), s: score('?', ['x', 'y']) })
// @ts-expect-error A refusal has to be handled first.
answers.t.choice
const result = await client.askResult({}, { t: choice('?', ['a', 'b']) })
if (result.ok && result.value.answers.t.type === 'choice') {
  // @ts-expect-error The question has no such label.
  result.value.answers.t.choice === 'c'
}
export const label: 'a' | 'b' | undefined = answers.t.type === 'choice' ? answers.t.choice : undefined
export const level: 0 | 1 | undefined = answers.s.type === 'score' ? answers.s.level : undefined
const strict = createClient({ provider: 'openai', apiKey: 'k', refusals: 'throw' })
export const chosen: 'a' | 'b' = (await strict.ask({}, { t: choice('?', ['a', 'b']) })).answers.t.choice
`

test('its types are found from an empty project', () => {
  writeFileSync(join(folder, 'typed.mts'), typed)
  for (const resolution of ['node16', 'bundler']) {
    const module = resolution === 'bundler' ? 'esnext' : resolution
    const options = ['--module', module, '--moduleResolution', resolution, '--types', '']
    const flags = ['--noEmit', '--strict', '--target', 'es2022', ...options, 'typed.mts']
    const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), flags, { cwd: folder })
    assert.is(String(tsc.stdout), '', resolution)
    assert.is(tsc.status, 0)
  }
})

test.run()
