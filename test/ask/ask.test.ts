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

test('--dry-run fails as sending would', async () => {
  const empty = await svc(['ask', '--dry-run'], { stdin: '{"state":1,"questions":{}}', env: {} })
  assert.is(empty.exit, 2)
  const address = await svc([...flagMode, '--dry-run', '--base-url', 'x'], { env: {} })
  assert.is(address.exit, 1)
  const pretty = await svc([...flagMode, '--dry-run', '--pretty', '--model', 'm'], { env: {} })
  assert.match(pretty.stdout, '\n  "body": {\n    "model": "m",\n    "state": "s",\n')
})

test.run()
