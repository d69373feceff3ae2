import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  AuthError,
  applyPolicy,
  type BatchOptions,
  choice,
  createClient,
  noul,
  type RecordOf,
  requirement,
  score,
  UsageError,
} from '../../lib/library'
import { until } from '../support/until'
import { good, type Reply, type Seen, startService } from './support'

const test = suite('library/batch')

const questions = { q: noul('Is it?') }

const numberIn = ({ body }: Seen): number => Number(JSON.parse(body).state)

const answerWith = (n: number): Reply => ({ body: good({ q: { type: 'noul', noul: n / 100 } }) })

/** Runs `work` with a client of a service that answers each state, which is a number, like this. */
const withClient = async (
  answer: (state: number, number: number) => Reply | undefined,
  work: (client: ReturnType<typeof createClient>, seen: ReadonlyArray<Seen>) => Promise<void>,
): Promise<void> => {
  const service = await startService((seen, number) => answer(numberIn(seen), number))
  try {
    const client = createClient({ baseUrl: service.url, apiKey: 'demo-key', maxRetries: 0 })
    await work(client, service.seen)
  } finally {
    await service.close()
  }
}

const rowsTo = (count: number) => Array.from({ length: count }, (_, state) => ({ state }))

const collect = async <A>(records: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: A[] = []
  for await (const one of records) all.push(one)
  return all
}

test('gives records in the order of the rows, with the lines that svc batch writes', () =>
  withClient(
    (state) => answerWith(state),
    async (client) => {
      const rows = [
        { state: 7, id: 'a', group: 1, labels: { q: true } },
        { state: 8, labels: { q: 'perhaps' } },
        { state: () => 0 },
      ]
      const [first, second, third, ...more] = await collect(client.batch(rows, questions))
      assert.equal(more, [])
      assert.is(
        first?.json,
        '{"index":0,"id":"a","group":1,"labels":{"q":true},' +
          '"state_sha256":"7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451",' +
          '"questions_sha256":"943f15653f524c54547a8f6979fa7c12b0578a7c4a9884bac238f677b833a9eb",' +
          '"model":"svc-1.13.0","answers":{"q":{"type":"noul","noul":0.07}},' +
          '"usage":{"input_tokens":21,"output_tokens":4},"request_id":"req_1"}',
      )
      assert.is(first?.answers?.q.json, '{"type":"noul","noul":0.07}')
      assert.match(second?.error?.message ?? '', 'the field "q" is "perhaps", no label of "q"')
      assert.match(third?.error?.message ?? '', 'line 3: the state is no JSON value')
    },
  ))

test('takes rows only as fast as the loop takes records', () =>
  withClient(
    (state) => answerWith(state),
    async (client, seen) => {
      let read = 0
      function* rows() {
        for (; read < 1000; read += 1) yield { state: read }
      }
      const records = client.batch(rows(), questions, { concurrency: 2 })
      assert.is((await records.next()).value?.index, 0)
      await until(() => seen.length >= 8)
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
      assert.ok(read <= 9, `${read} rows read`)
      await records.return()
    },
  ))

test('leaving the loop aborts what is in flight', async () => {
  let closed = 0
  const service = await startService((seen) => (numberIn(seen) === 0 ? answerWith(0) : undefined))
  const client = createClient({ baseUrl: service.url, apiKey: 'demo-key' })
  let isCleaned = false
  async function* rows() {
    try {
      yield* rowsTo(100)
    } finally {
      isCleaned = true
    }
  }
  for await (const record of client.batch(rows(), questions, { concurrency: 3 })) {
    assert.is(record.index, 0)
    await until(() => service.seen.length >= 3)
    break
  }
  closed = service.seen.length
  await service.quiet()
  await until(() => isCleaned)
  assert.is(service.seen.length, closed)
  await service.close()
})

test('a row that fails gives its error, and failFast ends after it', () =>
  withClient(
    (state) => (state === 1 ? { status: 400, body: { detail: 'no' } } : answerWith(state)),
    async (client) => {
      const kinds = (records: ReadonlyArray<RecordOf>) =>
        records.map(({ error }) => error && [error.kind, error.status, error.message])
      const all = await collect(client.batch(rowsTo(3), questions))
      assert.equal(kinds(all), [undefined, ['request', 400, 'no'], undefined])
      const options: BatchOptions = { failFast: true, concurrency: 1 }
      assert.is((await collect(client.batch(rowsTo(3), questions, options))).length, 2)
    },
  ))

test('a refused key throws, after the records before it', () =>
  withClient(
    (state) => (state === 1 ? { status: 401, body: {} } : answerWith(state)),
    async (client) => {
      const indexes: number[] = []
      try {
        for await (const { index } of client.batch(rowsTo(3), questions, { concurrency: 1 }))
          indexes.push(index)
        assert.unreachable()
      } catch (error) {
        assert.ok(error instanceof AuthError)
      }
      assert.equal(indexes, [0])
    },
  ))

test('an abort throws the reason of its signal, and so do rows that throw', () =>
  withClient(
    () => undefined,
    async (client, seen) => {
      const halt = new AbortController()
      const reason = new Error('enough')
      const waiting = collect(client.batch(rowsTo(3), questions, { signal: halt.signal }))
      await until(() => seen.length > 0)
      halt.abort(reason)
      assert.is(await waiting.catch((error: unknown) => error), reason)
      function* faulty() {
        yield* []
        throw reason
      }
      const broken = collect(client.batch(faulty(), questions))
      assert.is(await broken.catch((error: unknown) => error), reason)
    },
  ))

test('answers of an earlier run are used again', () =>
  withClient(
    (state) => answerWith(state),
    async (client, seen) => {
      const earlier = await collect(client.batch(rowsTo(3), questions))
      const lines = earlier.map((record) => JSON.parse(JSON.stringify(record)))
      for (const reuse of [earlier, lines]) {
        const sent = seen.length
        const again = await collect(client.batch(rowsTo(5), questions, { reuse }))
        assert.equal(
          again.map((record) => record.answers && record.reused === true),
          [true, true, true, false, false],
        )
        assert.is(seen.length, sent + 2)
      }
    },
  ))

test('a requirement and a policy judge each row', () =>
  withClient(
    (state) => answerWith(state),
    async (client) => {
      const decided = requirement('q.noul >= 0.5', 'q.noul < 0.9')
      const [digest] = (await collect(client.batch([{ state: 1 }], questions))).map(
        ({ questions_sha256 }) => questions_sha256,
      )
      const policy = {
        questions: {
          q: {
            type: 'noul',
            questions_sha256: digest,
            models: ['svc-1.13.0'],
            n: 100,
            map: { method: 'none' },
            cut: { at: 0.8, scale: 'noul', n: 50, low: 0.9 },
          },
        },
      }
      const rows = [{ state: 85 }, { state: 20 }]
      const records = await collect(
        client.batch(rows, questions, {
          requirement: decided,
          policy,
        }),
      )
      assert.equal(
        records.map((record) => record.answers && [record.gate, record.policy]),
        [
          [{ passed: true, failed: [] }, { q: { outcome: 'accept', calibrated: 0.85 } }],
          [
            { passed: false, failed: ['q.noul >= 0.5'] },
            { q: { outcome: 'review', calibrated: 0.2 } },
          ],
        ],
      )
      const { answers } = await client.ask(85, questions)
      assert.equal(decided.judge(answers), { passed: true, failed: [], unevaluable: [] })
      assert.equal(applyPolicy(policy, answers), { q: { outcome: 'accept', calibrated: 0.85 } })
      const other = collect(client.batch(rows, { r: noul('?') }, { policy }))
      const error = await other.catch((one: unknown) => one)
      assert.ok(
        error instanceof UsageError && error.message === 'the policy is for other questions',
      )
    },
  ))

test('an error in a requirement says what is wrong', () => {
  assert.throws(() => requirement('q.noul >='), /^require: .* at column \d+: q\.noul >=$/)
  const given = requirement('tone.choice == "calm" or urgency.level > 1')
  const asked = { tone: choice('?', ['calm', 'angry']), urgency: score('?', ['a', 'b', 'c']) }
  given.check(asked)
  assert.throws(() => given.check({ tone: asked.tone }), 'urgency')
  assert.equal(given.judge({ tone: { type: 'choice', choice: 'calm' } }), {
    passed: false,
    failed: [],
    unevaluable: given.expressions,
  })
  assert.throws(() => given.judge({ tone: { type: 'choice' } }), 'answers.tone.choice')
})

test('options are checked', () =>
  withClient(
    () => undefined,
    async (client) => {
      for (const options of [{ concurrency: 0 }, { repeat: 1.5 }, { rpm: -1 }, { retries: 1 }]) {
        const error = await collect(client.batch([], questions, options)).catch((one) => one)
        assert.ok(error instanceof UsageError, String(error))
      }
      assert.equal(await collect(client.batch([], questions)), [])
    },
  ))

test.run()
