import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { countValues, type JsonValue } from '../../lib/codec/json/json'
import { parseText } from '../../lib/codec/json/parse'
import type { EngineContext } from '../../lib/service/contract/engine'
import type { Problem } from '../../lib/service/contract/problem'
import { computeMaxAnswerBytes, readAsk } from '../../lib/service/contract/read-ask'
import type { ServedDialect } from '../../lib/service/dialects/served-dialect'
import { servedDialects } from '../../lib/service/dialects/served-dialects'
import { closeAfterEach } from '../support/servers'
import { createStubEngine, post, readJson, type StubAnswer, startService } from './run-service'

const test = suite('service: limits of the work for a request')
closeAfterEach(test)

const parseJson = (text: string): JsonValue => {
  const document = parseText(text)
  if (E.isLeft(document)) throw new Error(document.left.message)
  return document.right
}

const runAtOnce: Pick<EngineContext, 'compute'> = { compute: TE.fromIO }

/** Creates an object with `count` members, which all have this value. */
const createMembers = (count: number, prefix: string, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]))

/** Creates a request document with `count` equal questions. */
const createRequest = (count: number, question: unknown, idPrefix = 'q'): string =>
  JSON.stringify({ state: [1, 2, 3], questions: createMembers(count, idPrefix, question) })

const noul = { type: 'noul' }

const valueCounts: ReadonlyArray<{
  readonly text: string
  readonly count: number
}> = [
  { text: '1', count: 1 },
  { text: ' [ ] ', count: 1 },
  { text: '{}', count: 1 },
  { text: '[[],[{}]]', count: 4 },
  { text: '{"a":1,"b,[":"x,{"}', count: 3 },
  { text: '[ 1 , "\\",[" , { "a" : [ true , null ] } ]', count: 7 },
]

for (const { text, count } of valueCounts)
  test(`counts ${count} values in ${text}`, () => {
    assert.is(countValues(parseJson(text)), count)
  })

/** Creates a document with 50,000 values outside its state: 2 + 999 × 50 + 48. */
const createMaxRequest = (): string => {
  const createChoice = (labelCount: number) => ({
    type: 'choice',
    criteria: createMembers(labelCount, 'l', null),
  })
  // A choice has 3 values and one for each label. The document and its `questions` are 2 values.
  const questions = { ...createMembers(1000, 'q', createChoice(47)), q0: createChoice(45) }
  return JSON.stringify({ state: [1, 2, 3], questions })
}

test('accepts 1,000 questions with 50,000 values outside the state', async () => {
  const service = await startService()
  const request = createMaxRequest()
  assert.is(countValues(parseJson(request)) - countValues(parseJson('[1,2,3]')), 50_000)
  assert.is((await post(service.url, request)).status, 200)
})

const refusedRequests: ReadonlyArray<{
  readonly title: string
  readonly request: string
  readonly loc: ReadonlyArray<string>
  readonly msg: string
}> = [
  {
    title: '50,001 values outside the state',
    request: createMaxRequest().replace('"state":', '"extra":0,"state":'),
    loc: ['body'],
    msg: 'a request may hold 50000 values beside its state',
  },
  {
    title: '1,001 questions',
    request: createRequest(1001, noul),
    loc: ['body', 'questions'],
    msg: 'a request may hold 1000 questions',
  },
]

for (const { title, request, loc, msg } of refusedRequests)
  test(`answers 422 to ${title}`, async () => {
    const service = await startService()
    const refusal = await post(service.url, request)
    assert.is(refusal.status, 422)
    assert.equal((await readJson(refusal)).detail, [{ loc, msg, type: 'too_long' }])
  })

test('answers 400 to more than 100,000 objects and arrays', async () => {
  const service = await startService()
  const request = { state: Array(100_000).fill([]), questions: { q: noul } }
  const refusal = await post(service.url, request)
  assert.is(refusal.status, 400)
  assert.match(await refusal.text(), 'expected at most 100000 objects and arrays')
})

test('accepts a state with a million numbers', async () => {
  const service = await startService()
  const request = { state: Array(1e6).fill(0), questions: { q: noul } }
  assert.is((await post(service.url, request)).status, 200)
})

test('each of the four steps that read a whole document waits for its turn', async () => {
  let turnCount = 0
  const compute = <A>(work: () => A) => {
    turnCount += 1
    return TE.fromIO<A, Problem>(work)
  }
  const body = Buffer.from(createRequest(1, noul))
  const ask = await readAsk(servedDialects[0], body, { compute })()
  assert.ok(E.isRight(ask))
  assert.is(turnCount, 4)
})

/**
 * Gives each option of a question the same probability. A noul (a yes/no question) gets a probability with four decimals, the maximum
 * number.
 */
const answerUniformly: StubAnswer = async ({ questions }) =>
  questions.map(([, question]) => {
    if (question.type === 'noul') return { type: 'noul', yes: 0.1234 }
    const { length } = question.criteria
    return { type: question.type, probabilities: question.criteria.map(() => 1 / length) }
  })

const labelToEscape = 'é"\n\u0001\ud800'
const answeredQuestions = [
  noul,
  { type: 'choice', criteria: { [labelToEscape]: 'not in the answer', b: null, c: null } },
  { type: 'score', criteria: ['é"\n', { a: 'ü' }, ['\u2028']] },
]

for (const question of answeredQuestions)
  test(`computes an upper bound for the bytes of the answers to a ${question.type}`, async () => {
    const service = await startService(createStubEngine(answerUniformly))
    const request = createRequest(100, question, labelToEscape)
    const ask = await readAsk(servedDialects[0], Buffer.from(request), runAtOnce)()
    if (E.isLeft(ask)) throw new Error(ask.left.message)
    const maxBytes = computeMaxAnswerBytes(ask.right.questions)
    const response = await post(service.url, request)
    const bytes = (await response.arrayBuffer()).byteLength
    // The upper bound is for the answers. The other parts of the response have less than 100 bytes.
    assert.ok(bytes < maxBytes + 100 && bytes > 0.8 * maxBytes, `${bytes} of ${maxBytes}`)
  })

test('answers 422 to a request whose answer could exceed 16 MiB, and does not ask the engine', async () => {
  let calls = 0
  const engine = createStubEngine(async () => {
    calls += 1
    return []
  })
  const service = await startService(engine, { maxBodyBytes: 16 << 20 })
  // The answer has the chosen label twice: 2 × 9 MiB = 18,874,368 bytes, and 84 bytes beside it.
  const label = 'x'.repeat(9 << 20)
  const question = { type: 'choice', criteria: { [label]: null } }
  const refusal = await post(service.url, createRequest(1, question))
  assert.is(refusal.status, 422)
  assert.equal((await readJson(refusal)).detail, [
    {
      loc: ['body', 'questions'],
      msg: 'the answer could have 18874452 bytes; 16777216 are the most',
      type: 'too_long',
    },
  ])
  assert.is(calls, 0)
})

/** Creates a document in the dialect of OpenAI's decisions. */
const createDecisions = (input: unknown, questions: unknown): string =>
  JSON.stringify({ model: 'm', input, questions })
const predicate = { type: 'predicate', instructions: '?' }
// Their order is questions, systemone, decisions.
const [questionsDialect, , decisionsDialect] = servedDialects

/** Documents with more faults than svc looks for. Most have about 40,000 invalid values. */
const documentsWithFaults: ReadonlyArray<{
  readonly title: string
  readonly dialect: ServedDialect | undefined
  readonly document: string
}> = [
  {
    title: 'in one question',
    dialect: questionsDialect,
    document: createRequest(1, { ...noul, ...createMembers(49_000, 'x', 1) }),
  },
  {
    title: 'in all questions',
    dialect: questionsDialect,
    document: createRequest(999, { ...noul, ...createMembers(40, 'x', 1) }),
  },
  {
    title: 'in the types of questions',
    dialect: questionsDialect,
    document: createRequest(999, 1),
  },
  {
    title: 'in labels',
    dialect: questionsDialect,
    document: createRequest(160, { type: 'choice', criteria: createMembers(250, 'x', 1) }),
  },
  {
    title: 'in one predicate',
    dialect: decisionsDialect,
    document: createDecisions('x', [{ ...predicate, ...createMembers(40_000, 'x', 1) }]),
  },
  {
    title: 'in all predicates',
    dialect: decisionsDialect,
    document: createDecisions(
      'x',
      Array(400).fill({ ...predicate, ...createMembers(100, 'x', 1) }),
    ),
  },
  {
    title: 'in messages',
    dialect: decisionsDialect,
    document: createDecisions(Array(40_000).fill(1), [predicate]),
  },
  {
    title: 'in parts of a message',
    dialect: decisionsDialect,
    document: createDecisions([{ role: 'user', content: Array(40_000).fill({}) }], [predicate]),
  },
]

for (const { title, dialect, document } of documentsWithFaults)
  test(`stops looking for faults after a few thousand: ${title}`, async () => {
    assert.ok(dialect)
    const ask = await readAsk(dialect, Buffer.from(document), runAtOnce)()
    const faults = E.isLeft(ask) ? (ask.left.faults ?? []) : []
    assert.is(faults.length, 21)
    // svc reports 20 faults, and the number of the others as the 21st. It checks no further question after 2,000 faults. The last
    // checked question may add about 2,000 more.
    const lastMessage = faults[20]?.msg ?? ''
    const [, otherFaultCount] = /^(?:at least )?(\d+) more faults$/.exec(lastMessage) ?? []
    assert.ok(Number(otherFaultCount) < 4100, lastMessage)
  })

test('reports 1,000 faults of a question with a long id in less than 10 kB', async () => {
  const service = await startService()
  const id = 'q'.repeat(1 << 20)
  const question = { ...noul, ...createMembers(1000, 'x', 1) }
  const response = await post(service.url, { state: 1, questions: { [id]: question } })
  assert.is(response.status, 422)
  assert.ok((await response.text()).length < 10_000)
})

test.run()
