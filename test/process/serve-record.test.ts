import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listFiles } from '../../lib/replay/scenarios'
import { temporaryFolder } from '../support/folders'
import { run, start } from '../support/program'

const test = suite('process: svc serve records and plays')

const tests = temporaryFolder()

/** Asks `svc serve` with these flags about each state, and returns what it answered. */
const askEach = async (flags: ReadonlyArray<string>, states: ReadonlyArray<string>) => {
  const service = start(['serve', '--port', '0', ...flags], { env: {} })
  const url = (await service.said(/http:\S+/)).trim()
  const answers: Array<string> = []
  for (const state of states) {
    const args = ['ask', '--state', state, '--noul', 'refund=Is a refund wanted?']
    const env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'sk-secret' }
    answers.push((await run(args, { env })).stdout)
  }
  const unused = await fetch(`${url}/__svc/unused`)
  const said = { answers, status: unused.status, unused: await unused.json() }
  service.child.kill()
  await service.ended
  return said
}

test('replays its recordings, and --strict reports requests that were not recorded and recordings that were not requested', async () => {
  const recorded = await askEach(['--record', tests], ['A refund is wanted.', 'Hello.'])
  assert.is(recorded.status, 404)
  assert.equal(listFiles(tests), [
    'fixtures/recorded/001-refund/request.json',
    'fixtures/recorded/001-refund/response.json',
    'fixtures/recorded/001-refund/scenario.json',
    'fixtures/recorded/002-refund/request.json',
    'fixtures/recorded/002-refund/response.json',
    'fixtures/recorded/002-refund/scenario.json',
  ])
  const flags = ['--fixtures', join(tests, 'fixtures'), '--strict']
  const played = await askEach(flags, ['A refund is wanted.', 'Another.'])
  const answersIn = (document: string): unknown => JSON.parse(document).answers
  assert.equal(answersIn(played.answers[0] ?? ''), answersIn(recorded.answers[0] ?? ''))
  assert.match(
    JSON.parse(played.answers[1] ?? '').error.message,
    'differs in state. state: recorded "Hello.", received "Another.".',
  )
  assert.equal(played.unused, {
    unused: [{ scenario: 'recorded/002-refund', method: 'POST', path: '/v1/questions' }],
  })
})

test.run()
