import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, run, runInShell } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'

const test = suite('process: input')

/** Answers each question with itself, in the bytes it came in. */
const bodies: string[] = []
const service = await startHttpServer(async (incoming, response) => {
  const body = String(await readRequestBody(incoming))
  bodies.push(body)
  const questions = /"questions":(.*?)(,"extra":.*)?\}$/s.exec(body)?.[1]
  response.end(`{"model":"m","answers":${questions}}`)
})
test.after(() => service.close())
const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }

const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return name
}
const questions = '{"q":{"type":"rank"}}'
const request = `{"state":"s","questions":${questions}}`
put('request.json', request)
const answered = `{"model":"m","answers":${questions},"usage":{"input_tokens":null,"output_tokens":null}}\n`

test('reads standard input from a file, a pipe, a device or nothing', async () => {
  const given = [
    'svc ask < request.json',
    'cat request.json | svc ask',
    '(sleep 0.2; cat request.json) | svc ask',
    '(head -c 9 request.json; sleep 0.2; tail -c +10 request.json) | svc ask -f -',
    'svc ask -f request.json < /dev/null',
    'svc ask -f request.json <&-',
    'svc ask -f /dev/stdin < request.json',
    'cat request.json | svc ask -f /dev/stdin',
  ]
  for (const line of given) {
    const { code, stdout, stderr } = await runInShell(line, env)
    assert.equal([code, stdout, stderr], [0, answered, ''], line)
  }
})

test('works in a working folder that was deleted', async () => {
  for (const line of [
    'svc version',
    'cat ../request.json | svc ask',
    'svc ask -f none',
    'svc review',
  ]) {
    const { stdout, stderr } = await runInShell(
      `mkdir gone && cd gone && rmdir ../gone; ${line}`,
      env,
    )
    assert.match(stdout, line.endsWith('ask') ? answered.slice(0, 20) : /^[{]"/, line)
    assert.not.match(stderr, /\n {4}at |node:internal/, line)
  }
})

test('the key comes from a file or a pipe, and a file that others can read is logged', async () => {
  const given = ['pipe', 'own', 'open', 'shut'] as const
  put('own', 'sk-secret')
  put('open', 'sk-secret')
  for (const file of given) {
    const fill = file === 'pipe' ? 'mkfifo -m 600 pipe; echo sk-secret > pipe &' : ''
    const line = `chmod 600 own; chmod 644 open; ${fill} SERVICE_API_KEY_FILE=${file} svc ask -f request.json --log-level warning`
    const { code, stdout, stderr } = await runInShell(line, { SERVICE_BASE_URL: service.url })
    if (file === 'shut') {
      assert.equal([code, stderr], [1, 'svc: read API key file: shut: no such file or directory\n'])
      continue
    }
    assert.equal([code, stdout], [0, answered], line)
    const warned = / level=warning msg="others can read the file with the API key" file=open\n$/
    if (file === 'open') assert.match(stderr, warned)
    else assert.is(stderr, '', file)
  }
})

test('no request, and inputs that cannot be read', async () => {
  symlinkSync('loop', join(folder, 'loop'))
  const none = 'no request given: pass --file, pipe JSON to stdin, or use --state with'
  const failing: ReadonlyArray<readonly [string, string]> = [
    ['svc ask < /dev/null', none],
    ['svc ask <&-', none],
    ['true | svc ask', none],
    ['svc ask < /', 'read request: standard input: is a directory'],
    ['svc ask -f request.json/x', 'read request: request.json/x: not a directory'],
    ['svc ask -f loop', 'read request: loop: too many levels of symbolic links'],
    [`svc ask -f ${'x'.repeat(300)}`, ': file name too long'],
    ['head -c 17000000 /dev/zero | svc ask', 'request exceeds 16 MiB'],
    ['svc ask -f /dev/zero', 'request exceeds 16 MiB'],
    ['yes | svc ask --state - --noul q=x', 'request exceeds 16 MiB'],
  ]
  for (const [line, message] of failing) {
    const { code, stdout, stderr } = await runInShell(line, env)
    assert.is(code, 1, line)
    assert.match(stdout, /^\{"error":\{"kind":"usage","message":".*"\}\}\n$/)
    assert.ok(stderr.includes(message), `${line}: ${stderr}`)
    assert.match(stderr, /^svc: .*\n$/)
  }
})

test('a named pipe is read to its end', async () => {
  const line = 'mkfifo input; cat request.json > input & svc ask -f input'
  const { stdout, code } = await runInShell(line, env)
  assert.equal([code, stdout], [0, answered])
})

test('refuses a tracing configuration or certificate that is not a regular file at once', async () => {
  execFileSync('mkfifo', [join(folder, 'silent')])
  for (const path of ['silent', '/dev/zero']) {
    put(
      'otel.yaml',
      `file_format: "1.0"\ntracer_provider: {processors: [{batch: {exporter: {otlp_http: {endpoint: "https://127.0.0.1:1", tls: {ca_file: ${path}}}}}}]}`,
    )
    for (const [file, place] of [
      [path, ''],
      ['otel.yaml', 'tls.ca_file: '],
    ]) {
      const { code, stdout, stderr } = await runInShell(
        `OTEL_CONFIG_FILE=${file} svc ask -f request.json`,
        env,
      )
      const line = `svc: tracing disabled: ${place}read ${path}: not a regular file\n`
      assert.equal([code, stdout, stderr], [0, answered, line])
    }
  }
})

test('depth, numbers, keys and ids go through the whole path unharmed', async () => {
  const deep = '['.repeat(900) + ']'.repeat(900)
  const literals = '{"10":1.0,"2":12345678901234567890,"__proto__":-0.0,"a":1e400,"ab":0.10}'
  const ids = ['__proto__', 'constructor', '10', '2', 'toString', '\\u0000', 'é😀', ' ', 'a.b', '"']
  const odd = ids.map((id) => `"${id === '"' ? '\\"' : id}":{"type":"rank","x":${literals}}`)
  const documents = [
    { state: deep, questions },
    { state: literals, questions },
    { state: 'null', questions: `{${odd.join(',')}}` },
    { state: '"\\ud800"', questions: `{"q":{"type":"rank","deep":${deep}}}` },
  ]
  for (const { state, questions: asked } of documents) {
    const stdin = `\ufeff{"extra":${literals},"state":${state},"questions":${asked}}`
    const { code, stdout, stderr } = await run(['ask'], { env, stdin })
    assert.equal([code, stderr], [0, ''])
    assert.ok(bodies.at(-1)?.includes(`"state":${state},`), state.slice(0, 99))
    assert.ok(bodies.at(-1)?.endsWith(`"extra":${literals}}`))
    assert.ok(stdout.includes(`"answers":${asked},`), stdout.slice(0, 300))
  }
})

test.run()
