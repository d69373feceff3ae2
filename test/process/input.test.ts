import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runInShell, runProgram, workingFolder } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'

const test = suite('process: input')

const sentBodies: string[] = []

/** A service whose answer to each question is the question itself, byte for byte. */
const service = await startHttpServer(async (incoming, response) => {
  const body = String(await readRequestBody(incoming))
  sentBodies.push(body)
  // The questions end before the member `extra` or before the last brace.
  const sentQuestions = /"questions":(.*?)(,"extra":.*)?\}$/s.exec(body)?.[1]
  response.end(`{"model":"m","answers":${sentQuestions}}`)
})
test.after(() => service.close())
const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }

const writeInFolder = (name: string, content: string): void =>
  writeFileSync(join(workingFolder, name), content)

const rankQuestion = '{"q":{"type":"rank"}}'
writeInFolder('request.json', `{"state":"s","questions":${rankQuestion}}`)
const expectedAnswer = `{"model":"m","answers":${rankQuestion},"usage":{"input_tokens":null,"output_tokens":null}}\n`

const readableInputs = [
  'svc ask < request.json',
  'cat request.json | svc ask',
  '(sleep 0.2; cat request.json) | svc ask',
  '(head -c 9 request.json; sleep 0.2; tail -c +10 request.json) | svc ask -f -',
  'svc ask -f request.json < /dev/null',
  'svc ask -f request.json <&-',
  'svc ask -f /dev/stdin < request.json',
  'cat request.json | svc ask -f /dev/stdin',
  'mkfifo input; cat request.json > input & svc ask -f input',
]
for (const line of readableInputs)
  test(`reads the request: ${line}`, async () => {
    const { code, stdout, stderr } = await runInShell(line, env)
    assert.equal({ code, stdout, stderr }, { code: 0, stdout: expectedAnswer, stderr: '' })
  })

const noRequest = 'no request given: pass --file, pipe JSON to stdin, or use --state with'
const tooLarge = 'request exceeds 16 MiB'
/** Command lines whose input svc refuses, and the expected message. `--noul` asks a yes/no question. */
const unreadableInputs: ReadonlyArray<{ readonly line: string; readonly message: string }> = [
  { line: 'svc ask < /dev/null', message: noRequest },
  { line: 'svc ask <&-', message: noRequest },
  { line: 'true | svc ask', message: noRequest },
  { line: 'svc ask < /', message: 'read request: standard input: is a directory' },
  { line: 'svc ask -f /dev/zero', message: tooLarge },
  { line: 'yes | svc ask --state - --noul q=x', message: tooLarge },
]
for (const { line, message } of unreadableInputs)
  test(`refuses the input with one line: ${line}`, async () => {
    const { code, stdout, stderr } = await runInShell(line, env)
    assert.is(code, 1)
    assert.match(stdout, /^\{"error":\{"kind":"usage","message":".*"\}\}\n$/)
    assert.match(stderr, message)
    assert.match(stderr, /^svc: .*\n$/)
  })

test('works in a working folder that was deleted', async () => {
  const enterDeletedFolder = 'mkdir gone && cd gone && rmdir ../gone'
  const asked = await runInShell(`${enterDeletedFolder}; cat ../request.json | svc ask`, env)
  assert.is(asked.stdout, expectedAnswer)
  for (const command of ['svc version', 'svc ask -f none', 'svc review']) {
    const { stdout, stderr } = await runInShell(`${enterDeletedFolder}; ${command}`, env)
    assert.match(stdout, /^\{"/, command)
    // Neither line is part of a stack trace.
    assert.not.match(stderr, /\n {4}at |node:internal/, command)
  }
})

/** Runs `svc ask` with the key in a file, which the shell command `setUp` creates. */
const askWithKeyFile = (keyFile: string, setUp: string) =>
  runInShell(
    `${setUp}; SERVICE_API_KEY_FILE=${keyFile} svc ask -f request.json --log-level warning`,
    { SERVICE_BASE_URL: service.url },
  )

test('reads the key from a pipe', async () => {
  const setUp = 'mkfifo -m 600 pipe.key; { echo sk-secret > pipe.key & }'
  const { stdout, stderr } = await askWithKeyFile('pipe.key', setUp)
  assert.is(stdout, expectedAnswer)
  assert.is(stderr, '')
})

test('logs a warning about a file with the key that others can read', async () => {
  const setUp = 'echo sk-secret > open.key; chmod 644 open.key'
  const { stdout, stderr } = await askWithKeyFile('open.key', setUp)
  assert.is(stdout, expectedAnswer)
  const warning = 'level=warning msg="others can read the file with the API key" file=open.key\n'
  assert.match(stderr, warning)
})

// No program writes to this pipe.
execFileSync('mkfifo', [join(workingFolder, 'silent')])
for (const path of ['silent', '/dev/zero']) {
  const tls = `tls: {ca_file: ${path}}`
  const exporter = `{otlp_http: {endpoint: "https://127.0.0.1:1", ${tls}}}`
  const configuration = `file_format: "1.0"\ntracer_provider: {processors: [{batch: {exporter: ${exporter}}}]}`

  test(`refuses ${path} as the tracing configuration without waiting for it`, async () => {
    const line = `OTEL_CONFIG_FILE=${path} svc ask -f request.json`
    const { stdout, stderr } = await runInShell(line, env)
    assert.is(stdout, expectedAnswer)
    assert.is(stderr, `svc: tracing disabled: read ${path}: not a regular file\n`)
  })

  test(`refuses ${path} as a certificate of tracing without waiting for it`, async () => {
    writeInFolder('otel.yaml', configuration)
    const { stdout, stderr } = await runInShell(
      'OTEL_CONFIG_FILE=otel.yaml svc ask -f request.json',
      env,
    )
    assert.is(stdout, expectedAnswer)
    assert.is(stderr, `svc: tracing disabled: tls.ca_file: read ${path}: not a regular file\n`)
  })
}

const deepArray = '['.repeat(900) + ']'.repeat(900)
const unusualNumbers = '{"10":1.0,"2":12345678901234567890,"__proto__":-0.0,"a":1e400,"ab":0.10}'
/** Ids as JSON strings. Some are names of JavaScript, or would be sorted as the keys of an object. */
const unusualIds = [
  '"__proto__"',
  '"constructor"',
  '"10"',
  '"2"',
  '"toString"',
  '"\\u0000"',
  '"é😀"',
  '" "',
  '"a.b"',
  '"\\""',
]
const unusualQuestions = unusualIds.map((id) => `${id}:{"type":"rank","x":${unusualNumbers}}`)
const unusualDocuments = [
  { title: 'a state of 900 levels', state: deepArray, questions: rankQuestion },
  { title: 'unusual ids', state: 'null', questions: `{${unusualQuestions.join(',')}}` },
  {
    title: 'half a surrogate pair and a deep question',
    state: '"\\ud800"',
    questions: `{"q":{"type":"rank","deep":${deepArray}}}`,
  },
]
for (const { title, state, questions } of unusualDocuments)
  test(`sends and prints unchanged: ${title}`, async () => {
    // The request begins with a byte order mark, which svc ignores.
    const stdin = `\ufeff{"extra":${unusualNumbers},"state":${state},"questions":${questions}}`
    const { code, stdout, stderr } = await runProgram(['ask'], { env, stdin })
    assert.is(code, 0)
    assert.is(stderr, '')
    const sentBody = sentBodies.at(-1) ?? ''
    assert.match(sentBody, `"state":${state},`)
    assert.match(sentBody, `"extra":${unusualNumbers}}`)
    assert.match(stdout, `"answers":${questions},`)
  })

test.run()
