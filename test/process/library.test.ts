import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readExample } from '../support/documents'
import { root } from '../support/folders'
import { packProgram } from '../support/package'
import { runInShell, runProgram, workingFolder } from '../support/program'
import { type ServeProcess, startServe } from '../support/serve'

const test = suite('process: the installed library')

let service: ServeProcess

/** Makes the working folder a project that has installed the packed program. */
test.before(async () => {
  const install = ['install', '--offline', '--no-save', packProgram()]
  const { status, stderr } = spawnSync('npm', install, { cwd: workingFolder, encoding: 'utf8' })
  assert.is(status, 0, stderr)
  service = await startServe()
})

test.after(async () => {
  await service.stop()
})

const node = `'${process.execPath}'`

/** Writes an example of `svc help library` and runs it. `command` replaces the plain call of Node. */
const runExample = (name: string, command = `${node} ${name}.mjs`) => {
  writeFileSync(join(workingFolder, `${name}.mjs`), readExample('js', name))
  return runInShell(command, { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'any', PORT: '0' })
}

test('library-ask prints a probability and a label', async () => {
  const { stdout, stderr } = await runExample('library-ask')
  assert.match(stdout, /^0\.\d+\ncharge\n$/, stderr)
})

test('library-image sends an image', async () => {
  // The first bytes of every PNG file.
  writeFileSync(join(workingFolder, 'parcel.png'), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  const { stderr } = await runExample('library-image')
  assert.match(stderr, 'images are not supported by this engine')
})

test('library-batch does not ask again when it runs again', async () => {
  const first = await runExample('library-batch')
  assert.is(first.stdout, '2 asked\n', first.stderr)
  const second = await runExample('library-batch')
  assert.is(second.stdout, '0 asked\n', second.stderr)
})

test('library-gate accepts one request and refuses another', async () => {
  const post = `const [, , body, port] = process.argv
    const { status } = await fetch('http://127.0.0.1:' + port, { method: 'POST', body })
    process.stdout.write(status + ' ')`
  writeFileSync(join(workingFolder, 'post.mjs'), post)
  // The program prints its port. `kill -0` fails if the program has ended before.
  const command = `${node} library-gate.mjs > port & pid=$!
    until [ -s port ]; do kill -0 $pid || exit; sleep 0.05; done
    for state in 'Does the customer ask for a refund?' 'Hello.'; do
      ${node} post.mjs "$state" $(cat port)
    done; kill $pid`
  const { stdout, stderr } = await runExample('library-gate', command)
  assert.is(stdout, '200 422 ', stderr)
})

test('library-policy decides by a policy of svc calibrate', async () => {
  const input = join(root, 'fixtures/calibrate/policy/run.jsonl')
  const flags = ['-i', input, '--target', 'billing:precision=0.7', '-o', 'policy.json']
  await runProgram(['calibrate', ...flags], { env: {} })
  const { stdout, stderr } = await runExample('library-policy')
  assert.match(stdout, /^(answer it|let a person look)\n$/, stderr)
})

test('a program cannot import files that the package does not export', async () => {
  writeFileSync(join(workingFolder, 'hidden.mjs'), "import 'typed-questions/dist/library.mjs'")
  const { stderr } = await runInShell(`${node} hidden.mjs`, {})
  assert.match(stderr, 'ERR_PACKAGE_PATH_NOT_EXPORTED')
})

test('a program can import the JSON files of the package', async () => {
  const names = [
    'package.json',
    'svc-model.schema.json',
    'svc-policy.schema.json',
    'svc-review.schema.json',
    'svc-scenario.schema.json',
    'svc-openapi.json',
  ]
  const imports = names.map((name) => `import 'typed-questions/${name}' with { type: 'json' }`)
  writeFileSync(join(workingFolder, 'files.mjs'), imports.join('\n'))
  const { code, stderr } = await runInShell(`${node} --no-warnings files.mjs`, {})
  assert.is(code, 0)
  assert.is(stderr, '')
})

/** A TypeScript program. The compiler must report each line below `@ts-expect-error`, and no other line. */
const typedProgram = `
import { choice, createClient, score } from 'typed-questions'
const client = createClient({ provider: 'openai', apiKey: 'k', fetch })
const { answers } = await client.ask({}, { topic: choice('?', ['a', 'b']), size: score('?', ['x', 'y']) })
// @ts-expect-error A refusal has to be handled first.
answers.topic.choice
const result = await client.askResult({}, { topic: choice('?', ['a', 'b']) })
if (result.ok && result.value.answers.topic.type === 'choice') {
  // @ts-expect-error The question has no such label.
  result.value.answers.topic.choice === 'c'
}
export const label: 'a' | 'b' | undefined = answers.topic.type === 'choice' ? answers.topic.choice : undefined
export const level: 0 | 1 | undefined = answers.size.type === 'score' ? answers.size.level : undefined
const strict = createClient({ provider: 'openai', apiKey: 'k', refusals: 'throw' })
export const chosen: 'a' | 'b' = (await strict.ask({}, { topic: choice('?', ['a', 'b']) })).answers.topic.choice
`

for (const { resolution, module } of [
  { resolution: 'node16', module: 'node16' },
  { resolution: 'bundler', module: 'esnext' },
])
  test(`TypeScript finds the types with the module resolution ${resolution}`, () => {
    writeFileSync(join(workingFolder, 'typed.mts'), typedProgram)
    const options = ['--module', module, '--moduleResolution', resolution, '--types', '']
    const flags = ['--noEmit', '--strict', '--target', 'es2022', ...options, 'typed.mts']
    const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), flags, {
      cwd: workingFolder,
      encoding: 'utf8',
    })
    assert.is(tsc.stdout, '')
    assert.is(tsc.status, 0)
  })

test.run()
