import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { svc } from './program'

const test = suite('ask/ask')

const question = '{"q":{"type":"noul","instructions":"Really?"}}'
const document = (extra = '') => `{"state":1.0,"questions":${question}${extra}}`
const answer =
  '{ "model":"svc-1", "answers":{"q":{"type":"noul","noul":0.50}}, "usage":{"input_tokens":1}, "x":1 }'
const good = { headers: { 'x-service-request-id': 'req_1' }, body: answer }
const replies = [good]
const flagMode = ['ask', '--state', 's', '--noul', 'q=Really?']

/** The failure's message. */
const message = (stdout: string): string => JSON.parse(stdout).error.message

test('spec Output: compact, indented, raw', async () => {
  const own =
    '{"model":"svc-1","answers":{"q":{"type":"noul","noul":0.50}},"usage":{"input_tokens":1,"output_tokens":null},"request_id":"req_1"}'
  const compact = await svc(['ask'], { stdin: document(), replies })
  assert.equal(compact, { stdout: `${own}\n`, stderr: '', exit: 0, sent: compact.sent })
  const pretty = await svc(['ask', '--pretty'], { stdin: document(), replies })
  assert.match(pretty.stdout, '\n  "answers": {\n    "q": {\n')
  assert.match(pretty.stdout, '"noul": 0.50\n')
  for (const argv of [
    ['ask', '--raw'],
    ['ask', '--raw', '--pretty'],
  ])
    assert.is((await svc(argv, { stdin: document(), replies })).stdout, `${answer}\n`)
})

test('D15: --raw prints only what decodes', async () => {
  const result = await svc(['ask', '--raw'], { stdin: document(), replies: [{ body: '{}' }] })
  assert.is(result.exit, 6)
  assert.match(result.stdout, '"kind":"invalid_response"')
})

test('spec Model selection', async () => {
  const env = { SERVICE_API_KEY: 'k', SERVICE_DEFAULT_MODEL: 'env' }
  const named = document(',"model":"doc"')
  const table = [
    [['ask'], named, 'doc'],
    [['ask', '--model', 'flag'], named, 'flag'],
    [['ask', '--model', ''], named, 'env'],
    [['ask'], document(), 'env'],
    [['ask'], document(',"model":""'), 'env'],
    [flagMode, '', 'env'],
    [[...flagMode, '--model', 'flag'], '', 'flag'],
  ] as const
  for (const [argv, stdin, model] of table) {
    const { sent } = await svc(argv, { stdin, env, replies })
    assert.is(JSON.parse(sent[0] ?? '{}').model, model, argv.join(' '))
  }
})

test('spec JSON mode 8, D7: extra fields are forwarded as they are', async () => {
  const extra = ',"__proto__":{"a":1e400},"10":[1.0],"trace":null'
  const { sent } = await svc(['ask', '-f', 'r.json'], {
    files: { 'r.json': document(extra) },
    replies,
  })
  assert.is(sent[0], `{"model":"svc-latest","state":1.0,"questions":${question}${extra}}`)
})

test('the order in which things fail', async () => {
  const faulty = '{"state":1,"questions":{}}'
  const env = {}
  const table = [
    [['ask', '--timeout', '-1s', '--log-level', 'x', '-f', 'no'], '--timeout must not be'],
    [['ask', '--log-level', 'x', '-f', 'no'], 'invalid log level "x"'],
    [['ask', '--base-url', 'x', '-f', 'no'], 'read request: no: no such file or directory'],
    [['ask', '--base-url', 'x'], 'typesafe: invalid base URL "x"'],
    [['ask'], 'typesafe: API key is required'],
    [['ask', '--api-key', 'k'], 'typesafe: invalid request: questions: '],
  ] as const
  for (const [argv, start] of table) {
    const { stdout, exit, sent } = await svc(argv, { stdin: faulty, env })
    assert.is(message(stdout).startsWith(start), true, `${argv.join(' ')}: ${stdout}`)
    assert.is(exit, start.includes('invalid request') ? 2 : 1)
    assert.equal(sent, [])
  }
})

test('D22: logs go to stderr, stdout stays the answer', async () => {
  const { stdout, stderr } = await svc(['ask', '--log-level', 'info'], {
    stdin: document(),
    replies,
  })
  assert.is(JSON.parse(stdout).model, 'svc-1')
  assert.is(
    stderr,
    'time=2026-01-01T00:00:00.000Z level=info msg=done operation="POST /v1/questions" attempts=1 status=200 duration=0ms request_id=req_1\n',
  )
})

test('--dry-run shows what would be sent and sends nothing', async () => {
  for (const env of [{} as Readonly<Record<string, string>>, { SERVICE_API_KEY: 'sk-secret' }]) {
    const argv = ['ask', '--dry-run', '--base-url', 'https://gw.test/api/']
    const { stdout, stderr, exit, sent } = await svc(argv, { stdin: document(',"x":1.0'), env })
    assert.is(
      stdout,
      `{"method":"POST","url":"https://gw.test/api/v1/questions","headers":{"Authorization":"Bearer [redacted]","Accept":"application/json","Accept-Encoding":"gzip, deflate, br","User-Agent":"svc/1.2.3","Content-Type":"application/json"},"body":{"model":"svc-latest","state":1.0,"questions":${question},"x":1.0}}\n`,
    )
    assert.is(stderr, '')
    assert.is(exit, 0)
    assert.equal(sent, [])
  }
})

test('--dry-run fails as sending would', async () => {
  const empty = await svc(['ask', '--dry-run'], { stdin: '{"state":1,"questions":{}}', env: {} })
  assert.is(empty.exit, 2)
  const address = await svc([...flagMode, '--dry-run', '--base-url', 'x'], { env: {} })
  assert.is(address.exit, 1)
  const pretty = await svc([...flagMode, '--dry-run', '--pretty', '--model', 'm'], { env: {} })
  assert.match(pretty.stdout, '\n  "body": {\n    "model": "m",\n    "state": "s",\n')
})

test('spec JSON mode 7: a terminal on stdin', async () => {
  const { stdout, exit } = await svc(['ask'], { isTTY: true })
  assert.is(exit, 1)
  assert.match(message(stdout), /^no request given: /)
})

test('D2: models', async () => {
  const body = '{"models":[{"name":"a","n":1.0}],"more":1}'
  const { stdout, exit } = await svc(['models'], { replies: [{ body }] })
  assert.is(stdout, '{"models":[{"name":"a","n":1.0}]}\n')
  assert.is(exit, 0)
  const refused = await svc(['models', '--max-retries', '-1'])
  assert.is(message(refused.stdout), '--max-retries must not be negative, got -1')
})

test.run()
