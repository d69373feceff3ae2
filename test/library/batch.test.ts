import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AuthError, applyPolicy, noul, PackError, requirement, UsageError } from '../../lib/library'
import { closeAfterEach } from '../support/servers'
import { until } from '../support/until'
import {
  catchError,
  createResponseBody,
  type ReceivedRequest,
  type ScriptedReply,
  startServiceAndClient,
} from './scripted-service'

const test = suite('library/batch')
closeAfterEach(test)

/** A yes/no question. In these tests a state is a number from 0 to 100, and the answer is the probability state / 100. */
const questions = { q: noul('Is it?') }

/** Creates the answer to a state. */
const answerState = (state: number): ScriptedReply => ({
  body: createResponseBody({ q: { type: 'noul', noul: state / 100 } }),
})

const parseState = ({ body }: ReceivedRequest): number => Number(JSON.parse(body).state)

/** Starts a service whose reply depends on the state, and a client without retries. The service never replies to `undefined`. */
const start = (chooseReply: (state: number) => ScriptedReply | undefined = answerState) =>
  startServiceAndClient((request) => chooseReply(parseState(request)), { maxRetries: 0 })

/** Creates rows with the states 0, 1, 2 … */
const createRows = (count: number) => Array.from({ length: count }, (_, state) => ({ state }))

/** Reads all records of a batch. */
const collect = async <A>(records: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const collected: A[] = []
  for await (const record of records) collected.push(record)
  return collected
}

test('returns records with the JSON lines that svc batch writes', async () => {
  // 7902699b… is the SHA-256 of the state `7`, and 943f1565… that of the questions.
  const { client } = await start()
  const rows = [{ state: 7, id: 'a', group: 1, labels: { q: true } }]
  const [record] = await collect(client.batch(rows, questions))
  assert.is(
    record?.json,
    '{"index":0,"id":"a","group":1,"labels":{"q":true},' +
      '"state_sha256":"7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451",' +
      '"questions_sha256":"943f15653f524c54547a8f6979fa7c12b0578a7c4a9884bac238f677b833a9eb",' +
      '"model":"svc-1.13.0","answers":{"q":{"type":"noul","noul":0.07}},' +
      '"usage":{"input_tokens":21,"output_tokens":4},"request_id":"req_1"}',
  )
  assert.is(record?.answers?.q.json, '{"type":"noul","noul":0.07}')
})

test('keeps the original text of numbers in the json of an answer', async () => {
  const answerJson = '{"type":"noul","noul":0.50,"n":12345678901234567890}'
  const { client } = await start(() => ({ body: `{"model":"m","answers":{"q":${answerJson}}}` }))
  const [record] = await collect(client.batch([{ state: 7 }], questions))
  assert.is(record?.answers?.q.json, answerJson)
})

test('returns the errors of invalid rows, in the order of the rows', async () => {
  const { client } = await start()
  const imageRow = { state: 9, images: {} } as unknown as { state: number }
  const rows = [{ state: 7 }, { state: 8, labels: { q: 'perhaps' } }, { state: () => 0 }, imageRow]
  const [first, second, third, fourth, ...furtherRecords] = await collect(
    client.batch(rows, questions),
  )
  assert.is(first?.error, undefined)
  assert.match(
    second?.error?.message ?? '',
    'the field "q" is "perhaps", which is not a label of "q"',
  )
  assert.match(third?.error?.message ?? '', 'line 3: the state is not a JSON value')
  assert.match(fourth?.error?.message ?? '', 'line 4: a batch takes no images: use ask')
  assert.equal(furtherRecords, [])
})

test('reads rows only as fast as the caller takes records', async () => {
  const { client, requests } = await start()
  let rowsRead = 0
  function* readRows() {
    for (; rowsRead < 1000; rowsRead += 1) yield { state: rowsRead }
  }
  const records = client.batch(readRows(), questions, { concurrency: 2 })
  assert.is((await records.next()).value?.index, 0)
  // svc has at most 4 * concurrency = 8 rows in memory. The caller has taken one row more.
  await until(() => requests.length >= 8)
  // Rows that svc would read too early are read within these turns of the event loop.
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  assert.ok(rowsRead <= 9, `${rowsRead} rows read`)
  await records.return()
})

test('leaving the loop aborts the requests in flight and closes the rows', async () => {
  const { client, service, requests } = await start((state) =>
    state === 0 ? answerState(0) : undefined,
  )
  let areRowsClosed = false
  async function* readRows() {
    try {
      yield* createRows(100)
    } finally {
      areRowsClosed = true
    }
  }
  for await (const record of client.batch(readRows(), questions, { concurrency: 3 })) {
    assert.is(record.index, 0)
    await until(() => requests.length >= 3)
    break
  }
  const requestsBefore = requests.length
  await service.waitUntilDisconnected()
  await until(() => areRowsClosed)
  assert.is(requests.length, requestsBefore)
})

/** Starts a service that replies to the state 1, that of the second row, with an error. */
const startFailingSecondRow = (status: number) =>
  start((state) => (state === 1 ? { status, body: { detail: 'no' } } : answerState(state)))

test('returns the error of a row that fails, and continues', async () => {
  const { client } = await startFailingSecondRow(400)
  const [first, second, third] = await collect(client.batch(createRows(3), questions))
  assert.is(first?.error, undefined)
  assert.is(second?.error?.kind, 'request')
  assert.is(second?.error?.status, 400)
  assert.is(second?.error?.message, 'no')
  assert.ok(third?.answers)
})

test('ends after the first row that fails with failFast', async () => {
  const { client } = await startFailingSecondRow(400)
  const options = { failFast: true, concurrency: 1 }
  const records = await collect(client.batch(createRows(3), questions, options))
  assert.is(records.length, 2)
})

test('throws after a refused key, and returns the records before it', async () => {
  const { client } = await startFailingSecondRow(401)
  const indexes: number[] = []
  const readRecords = async () => {
    for await (const { index } of client.batch(createRows(3), questions, { concurrency: 1 }))
      indexes.push(index)
  }
  assert.ok((await catchError(readRecords())) instanceof AuthError)
  assert.equal(indexes, [0])
})

test('throws the reason of the signal when it aborts', async () => {
  const { client, requests } = await start(() => undefined)
  const cancellation = new AbortController()
  const records = client.batch(createRows(3), questions, { signal: cancellation.signal })
  const error = catchError(collect(records))
  await until(() => requests.length > 0)
  const reason = new Error('cancelled by the test')
  cancellation.abort(reason)
  assert.is(await error, reason)
})

test('throws the error of rows that cannot be read', async () => {
  const { client } = await start()
  const reason = new Error('the disk is gone')
  function* readRows() {
    // A generator must have a `yield`. This one yields no row.
    yield* []
    throw reason
  }
  assert.is(await catchError(collect(client.batch(readRows(), questions))), reason)
})

test('reuses the answers of an earlier run', async () => {
  const { client, requests } = await start()
  const earlierRecords = await collect(client.batch(createRows(3), questions))
  const requestsBefore = requests.length
  const options = { reuse: earlierRecords }
  const records = await collect(client.batch(createRows(5), questions, options))
  assert.equal(
    records.map((record) => record.answers !== undefined && record.reused === true),
    [true, true, true, false, false],
  )
  assert.is(requests.length, requestsBefore + 2)
})

test('reuses records that were parsed from JSON', async () => {
  const { client, requests } = await start()
  const earlierRecords = await collect(client.batch(createRows(3), questions))
  const parsedRecords = earlierRecords.map((record) => JSON.parse(JSON.stringify(record)))
  const requestsBefore = requests.length
  await collect(client.batch(createRows(3), questions, { reuse: parsedRecords }))
  assert.is(requests.length, requestsBefore)
})

test('judges each row by a requirement', async () => {
  const { client } = await start()
  const likelyButUnsure = requirement('q.noul >= 0.5', 'q.noul < 0.9')
  const rows = [{ state: 85 }, { state: 20 }]
  const options = { requirement: likelyButUnsure }
  const [first, second] = await collect(client.batch(rows, questions, options))
  assert.ok(first?.answers && second?.answers)
  assert.equal(first.gate, { passed: true, failed: [] })
  assert.equal(second.gate, { passed: false, failed: ['q.noul >= 0.5'] })
})

/**
 * Creates a policy for the questions with this digest. Its `map` leaves probabilities as they are. Its `cut` is the threshold: an answer
 * is accepted if its P(yes) is at least 0.8.
 */
const createPolicy = (questionsDigest: string | undefined) => ({
  questions: {
    q: {
      type: 'noul',
      questions_sha256: questionsDigest,
      models: ['svc-1.13.0'],
      n: 100,
      map: { method: 'none' },
      cut: { at: 0.8, scale: 'noul', n: 50, low: 0.9 },
    },
  },
})

test('judges answers by a policy, in a batch and one by one', async () => {
  const { client } = await start()
  const [record] = await collect(client.batch([{ state: 1 }], questions))
  const policy = createPolicy(record?.questions_sha256)

  const rows = [{ state: 85 }, { state: 20 }]
  const [first, second] = await collect(client.batch(rows, questions, { policy }))
  assert.ok(first?.answers && second?.answers)
  assert.equal(first.policy, { q: { outcome: 'accept', calibrated: 0.85 } })
  assert.equal(second.policy, { q: { outcome: 'review', calibrated: 0.2 } })

  const { answers } = await client.ask(85, questions)
  assert.equal(applyPolicy(policy, answers), { q: { outcome: 'accept', calibrated: 0.85 } })
})

test('refuses a policy for other questions', async () => {
  const { client } = await start()
  const [record] = await collect(client.batch([{ state: 1 }], questions))
  const policy = createPolicy(record?.questions_sha256)
  const otherQuestions = { r: noul('?') }
  const error = await catchError(collect(client.batch([{ state: 1 }], otherQuestions, { policy })))
  assert.ok(error instanceof UsageError)
  assert.is(error.message, 'the policy is for other questions')
})

/** Three options with invalid values, and `retries`, which is not the name of an option. */
const refusedOptions: ReadonlyArray<object> = [
  { concurrency: 0 },
  { repeat: 1.5 },
  { rpm: -1 },
  { retries: 1 },
]
for (const options of refusedOptions)
  test(`refuses the options ${JSON.stringify(options)}`, async () => {
    const { client } = await start()
    const error = await catchError(collect(client.batch([], questions, options)))
    assert.ok(error instanceof UsageError, String(error))
  })

test('returns no records for no rows', async () => {
  const { client } = await start()
  assert.equal(await collect(client.batch([], questions)), [])
})

/** Answers rows alone or in packs. In packs it decides otherwise if `isFlipped`. */
const answerPacks =
  (isFlipped: boolean) =>
  ({ body }: ReceivedRequest): ScriptedReply => {
    const { state } = JSON.parse(body)
    if (typeof state === 'number') return answerState(state)
    const states: number[] = Object.values(state.rows)
    const answers = states.map((row, i) => {
      const noul = isFlipped ? 1 - row / 100 : row / 100
      return [`r${i + 1}/q`, { type: 'noul', noul }]
    })
    return { body: createResponseBody(Object.fromEntries(answers)) }
  }

test('asks about several rows in one request', async () => {
  const { client, requests } = await startServiceAndClient(answerPacks(false))
  const records = await collect(
    client.batch(createRows(80), questions, { pack: 10, packCheck: 60 }),
  )
  assert.equal(
    records.map(({ answers }) => answers?.q.type === 'noul' && answers.q.noul),
    createRows(80).map(({ state }) => state / 100),
  )
  // The first 60 rows are also asked alone.
  assert.is(requests.length, 60 + 8)
  const [last] = records.slice(-1)
  assert.equal(last?.error === undefined && last?.pack, { rows: 10, position: 9 })
})

test('throws after the records of the check if packs get other answers', async () => {
  const { client } = await startServiceAndClient(answerPacks(true))
  const records: unknown[] = []
  const error = await catchError(
    (async () => {
      const options = { pack: 10, packCheck: 60 }
      for await (const record of client.batch(createRows(80), questions, options))
        records.push(record)
    })(),
  )
  assert.ok(error instanceof PackError)
  assert.match(error.message, '"q": 59 of 60 rows decided otherwise')
  assert.match(error.message, 'pass a smaller pack, or leave it out')
  assert.is(records.length, 60)
})

const refusedPackOptions = [
  { options: { pack: 1 }, message: 'pack must be a whole number from 2 to 400, got 1' },
  { options: { packCheck: 100 }, message: 'packCheck needs pack' },
  { options: { maxFlips: 0.1 }, message: 'maxFlips needs pack' },
  { options: { pack: 2, maxFlips: 5 }, message: 'maxFlips must be above 0 and below 1, got 5' },
  { options: { pack: 2, repeat: 2 }, message: 'pack cannot be combined with repeat' },
  { options: { pack: 2, permute: 2 }, message: 'pack cannot be combined with permute' },
  { options: { pack: 2, packCheck: 10 }, message: 'pass 59 or more' },
]
for (const { options, message } of refusedPackOptions)
  test(`refuses packs: ${message}`, async () => {
    const { client, requests } = await start()
    const error = await catchError(collect(client.batch(createRows(20), questions, options)))
    assert.ok(error instanceof UsageError)
    assert.match(error.message, message)
    assert.is(requests.length, 0)
  })

test.run()
