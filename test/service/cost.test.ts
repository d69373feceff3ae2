import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ServedDialect } from '../../lib/client/dialects/served-dialect'
import { servedDialects } from '../../lib/client/dialects/served-dialects'
import { countValues } from '../../lib/codec/json/json'
import { parseText } from '../../lib/codec/json/parse'
import { computeMaxAnswerBytes, readAsk } from '../../lib/service/contract/read-ask'
import { closeAfterEach } from '../support/servers'
import { createStubEngine, post, readJson, startService } from './run-service'

const test = suite('service: what a request may cost')
closeAfterEach(test)

const countValuesOf = (text: string): number => {
  const document = parseText(text)
  if (E.isLeft(document)) throw new Error(document.left.message)
  return countValues(document.right)
}

const atOnce = { compute: <A>(work: () => A) => TE.fromIO(work) }

/** A request about `count` questions. */
const createRequest = (count: number, question: unknown, id = 'q', others = {}): string => {
  const entries = Array.from({ length: count }, (_, i) => [`${id}${i}`, question])
  const questions = { ...Object.fromEntries(entries), ...others }
  return JSON.stringify({ state: [1, 2, 3], questions })
}

test('values are counted at every depth', () => {
  for (const [text, count] of [
    ['1', 1],
    [' [ ] ', 1],
    ['{}', 1],
    ['[[],[{}]]', 4],
    ['{"a":1,"b,[":"x,{"}', 3],
    ['[ 1 , "\\",[" , { "a" : [ true , null ] } ]', 7],
  ] as const)
    assert.is(countValuesOf(text), count, text)
})

test('accepts at most 50,000 values beside the state and 1,000 questions', async () => {
  const service = await startService()
  const labels = (count: number) => ({
    type: 'choice',
    criteria: Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, null])),
  })
  // A question of 47 labels has 50 values; the document and its questions are two more.
  const most = createRequest(1000, labels(47), 'q', { q0: labels(45) })
  assert.is(countValuesOf(most) - countValuesOf('[1,2,3]'), 50_000)
  assert.is((await post(service.url, most)).status, 200)
  const noul = { type: 'noul' }
  for (const [over, loc, msg] of [
    [most.replace('"state":', '"extra":0,"state":'), ['body'], '50000 values beside its state'],
    [createRequest(1001, noul), ['body', 'questions'], '1000 questions'],
  ] as const) {
    const refused = await post(service.url, over)
    assert.is(refused.status, 422)
    assert.equal((await readJson(refused)).detail, [
      { loc, msg: `a request may hold ${msg}`, type: 'too_long' },
    ])
  }
  const tiny = JSON.stringify({ state: Array(100_000).fill([]), questions: { q: noul } })
  const refused = await post(service.url, tiny)
  assert.is(refused.status, 400)
  assert.match(await refused.text(), 'expected at most 100000 objects and arrays')
  const large = JSON.stringify({ state: Array(1e6).fill(0), questions: { q: noul } })
  assert.is((await post(service.url, large)).status, 200)
})

test('each step that reads a whole document takes a turn', async () => {
  let pieces = 0
  const compute = <A>(work: () => A) => {
    pieces += 1
    return atOnce.compute(work)
  }
  const text = Buffer.from(createRequest(1, { type: 'noul' }))
  assert.ok(E.isRight(await readAsk(servedDialects[0], text, { compute })()))
  assert.is(pieces, 4)
})

test('predicts the size of an answer, except for its numbers', async () => {
  const service = await startService(
    createStubEngine(async ({ questions }) =>
      questions.map(([, question]) => {
        if (question.type === 'noul') return { type: 'noul', yes: 0.1234 }
        const { length } = question.criteria
        return { type: question.type, probabilities: question.criteria.map(() => 1 / length) }
      }),
    ),
  )
  const label = 'é"\n\u0001\ud800'
  for (const question of [
    { type: 'noul' },
    { type: 'choice', criteria: { [label]: 'not in the answer', b: null, c: null } },
    { type: 'score', criteria: ['é"\n', { a: 'ü' }, ['\u2028']] },
  ]) {
    const text = createRequest(100, question, label)
    const read = await readAsk(servedDialects[0], Buffer.from(text), atOnce)()
    if (E.isLeft(read)) throw new Error(read.left.message)
    const bound = computeMaxAnswerBytes(read.right.questions)
    const { length } = Buffer.from(await (await post(service.url, text)).arrayBuffer())
    assert.ok(length < bound + 100 && length > 0.8 * bound, `${length} of at most ${bound}`)
  }
})

test('refuses a request whose answer would exceed 16 MiB before asking the engine', async () => {
  let asked = 0
  const service = await startService(
    createStubEngine(async () => {
      asked += 1
      return []
    }),
    { maxBodyBytes: 16 << 20 },
  )
  const label = 'x'.repeat(9 << 20)
  const refused = await post(
    service.url,
    createRequest(1, { type: 'choice', criteria: { [label]: null } }),
  )
  assert.is(refused.status, 422)
  assert.equal((await readJson(refused)).detail, [
    {
      loc: ['body', 'questions'],
      msg: 'the answer could have 18874452 bytes; 16777216 are the most',
      type: 'too_long',
    },
  ])
  assert.is(asked, 0)
})

test('stops looking for faults at the maximum number, wherever they are', async () => {
  const members = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, value]))
  const decisions = (input: unknown, questions: unknown) =>
    JSON.stringify({ model: 'm', input, questions })
  const noul = { type: 'predicate', instructions: '?' }
  const [own, , other] = servedDialects
  for (const [dialect, text] of [
    [own, createRequest(1, { type: 'noul', ...members(49_000, 1) })],
    [own, createRequest(999, { type: 'noul', ...members(40, 1) })],
    [own, createRequest(999, 1)],
    [own, createRequest(160, { type: 'choice', criteria: members(250, 1) })],
    [other, decisions('x', [{ ...noul, ...members(40_000, 1) }])],
    [other, decisions('x', Array(400).fill({ ...noul, ...members(100, 1) }))],
    [other, decisions(Array(40_000).fill(1), [noul])],
    [other, decisions([{ role: 'user', content: Array(40_000).fill({}) }], [noul])],
  ] as const) {
    const read = await readAsk(dialect as ServedDialect, Buffer.from(text), atOnce)()
    const faults = E.isLeft(read) ? (read.left.faults ?? []) : []
    assert.is(faults.length, 21)
    const [, count] = / (\d+) more faults$/.exec(` ${faults[20]?.msg}`) ?? []
    assert.ok(Number(count) < 4100, faults[20]?.msg)
  }
})

test('reports faults in few bytes, even if names are long', async () => {
  const service = await startService()
  const faulty = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, 1]))
  const long = 'q'.repeat(1 << 20)
  const response = await post(service.url, {
    state: 1,
    questions: { [long]: { type: 'noul', ...faulty } },
  })
  assert.is(response.status, 422)
  assert.ok((await response.text()).length < 10_000)
})

test.run()
