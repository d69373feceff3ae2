/** Runs of `svc batch --pack` against a service that counts what it is asked. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../../lib/cli/main'
import type { Destination } from '../../../lib/client/providers/destination'
import { exitCodes, messageOf } from '../../../lib/failure/report'
import { checkPackSize } from '../../../lib/runs/batch/pack/packing'
import { nodeFiles } from '../../../lib/runtime/node/files'
import type { Fetch } from '../../../lib/runtime/runtime'
import { testBuild } from '../../support/build'
import { createSleeplessClock } from '../../support/clock'
import { commands } from '../../support/commands'
import { createDestination } from '../../support/destination'
import { createTemporaryFolder } from '../../support/folders'
import { createFakeRuntime } from '../../support/runtime'

const test = suite('runs/batch/packs')

const folder = createTemporaryFolder()
const pathOf = (name: string): string => join(folder, name)

/** A row is a number. */
type State = number

/** A request to the service: its rows, and whether they are the only row or in a pack. */
interface PackRequest {
  readonly rows: ReadonlyArray<State>
  readonly isPack: boolean
}

/** The reply to a request: a status, or the probabilities of a yes for each row. `undefined` leaves out the answer to a row. */
type PackReply = number | ReadonlyArray<number | undefined>

/** Decides a row alone: every third number is a yes. */
const decide = (row: State): number => (row % 3 === 0 ? 0.9 : 0.1)

/** Starts a service. Returns its `fetch`, the requests that it got, and how often it has answered each row. */
const createPackService = (reply: (request: PackRequest, position: number) => PackReply) => {
  const requests: PackRequest[] = []
  const answered = new Map<State, number>()
  const fetch: Fetch = async (_, { body }) => {
    const { state, questions } = JSON.parse(Buffer.from(body as Uint8Array).toString())
    const isPack = typeof state === 'object'
    const rows: State[] = isPack ? Object.values(state.rows) : [state]
    const request = { rows, isPack }
    requests.push(request)
    const replied = reply(request, requests.length - 1)
    const isError = typeof replied === 'number'
    const ids = Object.keys(questions)
    const answers = isError
      ? []
      : ids.flatMap((id, position) => {
          const probability = replied[position]
          if (probability === undefined) return []
          const row = rows[position] as State
          answered.set(row, (answered.get(row) ?? 0) + 1)
          return [[id, { type: 'noul', noul: probability }]]
        })
    const document = isError
      ? { detail: 'no' }
      : {
          model: 'm',
          answers: Object.fromEntries(answers),
          usage: { input_tokens: 10, output_tokens: 1 },
        }
    return {
      status: isError ? replied : 200,
      header: (name) => (isError && name === 'retry-after-ms' ? '1' : null),
      body: (async function* () {
        yield Buffer.from(JSON.stringify(document))
      })(),
    }
  }
  return { fetch, requests, answered }
}

/** Answers every row as it is decided alone. */
const answerAlike = ({ rows }: PackRequest): PackReply => rows.map(decide)

let runCount = 0

/** Runs `svc batch` about the rows from 0 to `count` − 1, with a yes/no question. Returns what it wrote. */
const runPacks = async (
  service: { readonly fetch: Fetch },
  count: number,
  flags: ReadonlyArray<string>,
  output = `run-${runCount++}.jsonl`,
) => {
  const input = pathOf('rows.jsonl')
  writeFileSync(input, Array.from({ length: count }, (_, row) => `${row}\n`).join(''))
  const path = pathOf(output)
  const { runtime, stdout, stderr } = createFakeRuntime()
  const code = await main(
    ['batch', '--noul', 'q=Is it?', '-i', input, '-o', path, ...flags],
    {
      ...runtime,
      clock: createSleeplessClock(),
      env: { SERVICE_API_KEY: 'k' },
      files: nodeFiles,
      fetch: service.fetch,
    },
    testBuild,
    commands,
  )
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const document = JSON.parse(stdout())
  return { code, path, document, stderr: stderr(), records: lines.map((line) => JSON.parse(line)) }
}

test('asks one poisoned row of 10,000 with at most 2·log2(n) further requests, and answers every other row', async () => {
  const service = createPackService((request) =>
    request.rows.includes(7777) ? 422 : answerAlike(request),
  )
  const { code, records } = await runPacks(service, 10_000, ['--pack', '32', '--pack-check', '0'])
  assert.is(code, exitCodes.request)
  // 10,000 rows are 312 packs of 32 and one of 16.
  assert.ok(service.requests.length <= 313 + 2 * Math.log2(32))
  assert.equal(
    records.filter(({ error }) => error !== undefined).map(({ index }) => index),
    [7777],
  )
  assert.equal(new Set(service.answered.values()), new Set([1]))
  assert.is(service.answered.size, 9999)
})

test('asks no row twice that was answered, with 429 in between and a poisoned row', async () => {
  const service = createPackService((request, position) => {
    if (position % 5 === 0) return 429
    return request.rows.includes(100) ? 422 : answerAlike(request)
  })
  const { document } = await runPacks(service, 1000, ['--pack', '16', '--pack-check', '0'])
  assert.is(document.answered, 999)
  assert.equal(new Set(service.answered.values()), new Set([1]))
})

test('fails all rows of a pack whose service does not recover', async () => {
  const service = createPackService((request) =>
    request.rows.includes(5) ? 503 : answerAlike(request),
  )
  const flags = ['--pack', '4', '--pack-check', '0', '--max-retries', '1']
  const { code, records } = await runPacks(service, 12, flags)
  assert.is(code, exitCodes.server)
  assert.equal(
    records.filter(({ error }) => error?.status === 503).map(({ index }) => index),
    [4, 5, 6, 7],
  )
  // Three packs, and a retry of one.
  assert.is(service.requests.length, 4)
})

test('asks a row alone whose answer is missing', async () => {
  const service = createPackService((request) =>
    request.rows.map((row) => (request.isPack && row === 2 ? undefined : decide(row))),
  )
  const { records } = await runPacks(service, 4, ['--pack', '4', '--pack-check', '0'])
  assert.equal(
    records.map(({ pack }) => pack?.position),
    [0, 1, undefined, 3],
  )
  assert.equal(service.requests[1], { rows: [2], isPack: false })
})

test('gives the tokens of a pack to its first row that has all answers', async () => {
  const service = createPackService((request) =>
    request.rows.map((row) => (request.isPack && row === 0 ? undefined : decide(row))),
  )
  const { records } = await runPacks(service, 3, ['--pack', '3', '--pack-check', '0'])
  assert.equal(
    records.map(({ usage }) => usage.input_tokens),
    [10, 10, 0],
  )
})

/** Computes the probability of at most `k` successes in `n` draws, each with the probability `p`. */
const sumBinomial = (k: number, n: number, p: number): number => {
  let term = (1 - p) ** n
  let sum = term
  for (let i = 1; i <= k; i++) {
    term *= ((n - i + 1) / i) * (p / (1 - p))
    sum += term
  }
  return sum
}

/** Decides otherwise in packs for this share of the rows. */
const answerOtherwise =
  (share: number) =>
  ({ rows, isPack }: PackRequest): PackReply =>
    rows.map((row) => (isPack && (row * 37) % 200 < share * 200 ? 1 - decide(row) : decide(row)))

test('stops after the check if 8 % of the rows in packs are decided otherwise', async () => {
  const service = createPackService(answerOtherwise(0.08))
  const { code, document, records, stderr } = await runPacks(service, 1000, ['--pack', '32'])
  assert.is(code, exitCodes.flagged)
  assert.is(document.stopped, 'pack_differs')
  assert.is(document.complete, false)
  const { n, flips, high } = document.pack.questions.q
  assert.equal([n, flips], [200, 16])
  // Clopper and Pearson: at the upper bound, 16 flips or fewer have a probability of 5 %.
  assert.ok(Math.abs(sumBinomial(flips, n, high) - 0.05) < 1e-9)
  assert.match(stderr, '"q": 16 of 200 rows decided otherwise')
  assert.match(stderr, 'pass a smaller --pack, or leave it out')
  assert.is(records.length, 200)
  assert.ok(records.every(({ pack, answers, index }) => !pack && answers.q.noul === decide(index)))
  // 200 rows alone, six packs of 32 rows and one of eight.
  assert.is(service.requests.length, 207)
})

test('goes on after the check if 0.5 % of the rows in packs are decided otherwise', async () => {
  const service = createPackService(answerOtherwise(0.005))
  const { code, document, records } = await runPacks(service, 1000, ['--pack', '32'])
  assert.is(code, exitCodes.ok)
  assert.is(document.complete, true)
  assert.is(document.pack.questions.q.flips, 1)
  assert.is(document.pack.checked, 200)
  assert.is(document.pack.requests, 7 + 25)
  assert.is(records.length, 1000)
  assert.is(records.filter(({ pack }) => pack !== undefined).length, 800)
})

test('sends no pack that is not checked before the check is finished', async () => {
  const service = createPackService(answerOtherwise(1))
  const flags = ['--pack', '16', '--pack-check', '64', '--concurrency', '64']
  await runPacks(service, 2000, flags)
  assert.ok(service.requests.every(({ rows }) => rows.every((row) => row < 64)))
})

test('says the same as svc compare about the rows of the check', async () => {
  const checked = await runPacks(createPackService(answerOtherwise(0.08)), 201, ['--pack', '32'])
  const alone = await runPacks(createPackService(answerAlike), 200, [])
  const packed = await runPacks(createPackService(answerOtherwise(0.08)), 200, [
    ...['--pack', '32', '--pack-check', '0'],
  ])
  const { runtime, stdout } = createFakeRuntime()
  await main(
    ['compare', alone.path, packed.path],
    { ...runtime, files: nodeFiles },
    testBuild,
    commands,
  )
  const { flipped, paired, mean_shift } = JSON.parse(stdout()).questions.q
  const { n, flips, mean_shift: shift } = checked.document.pack.questions.q
  assert.equal([n, flips], [paired, flipped])
  // The order of the sums differs.
  assert.ok(Math.abs(shift - mean_shift) < 1e-12)
})

test('resumes in the middle of a pack, and asks only about the rows without a record', async () => {
  const flags = ['--pack', '8', '--pack-check', '0']
  const whole = await runPacks(createPackService(answerAlike), 40, flags)
  const text = readFileSync(whole.path, 'utf8')
  const lines = text.split('\n')
  // Keeps 13 records, and a part of the next.
  writeFileSync(
    pathOf('torn.jsonl'),
    `${lines.slice(0, 13).join('\n')}\n${lines[13]?.slice(0, 50)}`,
  )
  const service = createPackService(answerAlike)
  const resumed = await runPacks(service, 40, [...flags, '--resume'], 'torn.jsonl')
  assert.equal(
    resumed.records.map(({ index, answers }) => [index, answers.q.noul]),
    whole.records.map(({ index, answers }) => [index, answers.q.noul]),
  )
  assert.equal([...service.answered.keys()].sort((a, b) => a - b)[0], 13)
  assert.is(service.answered.size, 27)
})

test('reuses answers of packs, with the place of each row in its request', async () => {
  const first = await runPacks(createPackService(answerAlike), 6, [
    '--pack',
    '3',
    '--pack-check',
    '0',
  ])
  const service = createPackService(answerAlike)
  const flags = ['--pack', '3', '--pack-check', '0', '--reuse', first.path]
  const { records } = await runPacks(service, 8, flags)
  assert.equal(service.requests, [{ rows: [6, 7], isPack: true }])
  assert.equal(records[4].pack, { rows: 3, position: 1 })
  assert.is(Object.keys(records[4]).join().endsWith('pack,reused'), true)
})

test('stops in packs at --max-cost', async () => {
  const service = createPackService(answerAlike)
  const { code, document } = await runPacks(service, 100, [
    ...['--pack', '10', '--pack-check', '0', '--concurrency', '1'],
    // An answer costs 10 input tokens, and the estimate of a request is more.
    ...['--price', '1000000', '--max-cost', '15'],
  ])
  assert.is(code, exitCodes.flagged)
  assert.is(document.stopped, 'max_cost')
  assert.ok(service.requests.length < 10)
})

test('asks a row alone that is too large for a pack', async () => {
  const service = createPackService(answerAlike)
  const input = pathOf('large.jsonl')
  const large = `${'1'.repeat(257 << 10)}`
  writeFileSync(input, `1\n${large}\n2\n3\n`)
  const { runtime } = createFakeRuntime()
  await main(
    ['batch', '--noul', 'q=Is it?', '-i', input, '--pack', '4', '--pack-check', '0'],
    { ...runtime, env: { SERVICE_API_KEY: 'k' }, files: nodeFiles, fetch: service.fetch },
    testBuild,
    commands,
  )
  assert.equal(service.requests.map(({ isPack, rows }) => [isPack, rows.length]).sort(), [
    [false, 1],
    [false, 1],
    [true, 2],
  ])
})

test('asks about no more rows in one request than 256 KiB of states', async () => {
  const sizes: number[] = []
  const fetch: Fetch = async (_, { body }) => {
    const { questions } = JSON.parse(Buffer.from(body as Uint8Array).toString())
    const ids = Object.keys(questions)
    sizes.push(ids.length)
    const answers = Object.fromEntries(ids.map((id) => [id, { type: 'noul', noul: 0.5 }]))
    return {
      status: 200,
      header: () => null,
      body: (async function* () {
        yield Buffer.from(JSON.stringify({ model: 'm', answers }))
      })(),
    }
  }
  const input = pathOf('long.txt')
  const rowKiB = 100
  writeFileSync(input, Array.from({ length: 5 }, () => `${'x'.repeat(rowKiB << 10)}\n`).join(''))
  const { runtime } = createFakeRuntime()
  await main(
    ['batch', '--noul', 'q=Is it?', '-i', input, '--pack', '4', '--pack-check', '0'],
    { ...runtime, env: { SERVICE_API_KEY: 'k' }, files: nodeFiles, fetch },
    testBuild,
    commands,
  )
  assert.equal(sizes.sort(), [1, 2, 2])
})

/** Checks packs of 32 rows with one question for a service with these limits. */
const checkSize = (limits: Partial<Destination>) => {
  const question = { type: 'noul', instructions: 'Is it?' } as const
  const template = { questions: [['q', question]] as const, extra: new Map() }
  const destination = createDestination('https://api.example', limits)
  return checkPackSize(32, { template, model: undefined }, destination)
}

test('leaves room for the questions in the maximum size of a request', () => {
  assert.equal(checkSize({}), E.right(256 << 10))
  const limited = checkSize({ maxBytes: 64 << 10 })
  assert.ok(E.isRight(limited))
  // The 32 questions have about 90 bytes each.
  assert.ok(limited.right < 62 << 10 && limited.right > 60 << 10, String(limited.right))
})

test('names the largest number of rows whose questions fit into a request', () => {
  const refused = checkSize({ maxQuestions: 31 })
  assert.ok(E.isLeft(refused))
  assert.match(messageOf(refused.left), 'at most 31: pass --pack 31 or less')
})

test('stops at a refused key without a record of the pack', async () => {
  const service = createPackService((request) =>
    request.rows.includes(5) ? 401 : answerAlike(request),
  )
  const flags = ['--pack', '4', '--pack-check', '0', '--concurrency', '1']
  const { code, records } = await runPacks(service, 40, flags)
  assert.is(code, exitCodes.auth)
  assert.is(records.length, 4)
})

test('asks again in packs about rows that failed, with the records between them unchanged', async () => {
  const isFaulty = (row: number): boolean => row % 2 === 1
  const flags = ['--pack', '4', '--pack-check', '0', '--max-retries', '0']
  const failing = createPackService(({ rows }) => (rows.some(isFaulty) ? 503 : rows.map(decide)))
  const alone = await runPacks(failing, 16, ['--max-retries', '0'], 'retried.jsonl')
  assert.is(alone.document.failed, 8)
  const service = createPackService(answerAlike)
  const retryFlags = [...flags, '--resume', '--retry-errors']
  const { document, records } = await runPacks(service, 20, retryFlags, 'retried.jsonl')
  assert.is(document.answered, 20)
  assert.equal(
    records.slice(0, 16).filter(({ index }) => !isFaulty(index)),
    alone.records.filter(({ index }) => !isFaulty(index)),
  )
  assert.equal(
    service.requests.map(({ rows }) => rows),
    [
      [1, 3, 5, 7],
      [9, 11, 13, 15],
      [16, 17, 18, 19],
    ],
  )
})

test('gives every row one record with an engine that leaves out every answer of packs', async () => {
  const service = createPackService(({ rows, isPack }) =>
    rows.map((row) => (isPack ? undefined : decide(row))),
  )
  const { code, document, stderr } = await runPacks(service, 300, ['--pack', '8'])
  assert.is(code, exitCodes.flagged)
  assert.is(document.rows, 200)
  assert.match(stderr, '"q": no row has a decision both alone and in a pack')
})

test('counts the tokens of a pack in which every answer is a refusal, and asks its rows alone', async () => {
  const requests: unknown[] = []
  const fetch: Fetch = async (_, { body }) => {
    const { state } = JSON.parse(Buffer.from(body as Uint8Array).toString())
    requests.push(state)
    const ids = typeof state === 'object' ? Object.keys(state.rows).map((r) => `${r}/q`) : ['q']
    const answer = typeof state === 'object' ? { type: 'refusal' } : { type: 'noul', noul: 0.5 }
    const document = {
      model: 'm',
      answers: Object.fromEntries(ids.map((id) => [id, answer])),
      usage: { input_tokens: 10, output_tokens: 0 },
    }
    return {
      status: 200,
      header: () => null,
      body: (async function* () {
        yield Buffer.from(JSON.stringify(document))
      })(),
    }
  }
  const { document } = await runPacks({ fetch }, 2, ['--pack', '2', '--pack-check', '0'])
  assert.equal(requests, [{ rows: { r1: 0, r2: 1 } }, 0, 1])
  assert.is(document.refused, undefined)
  assert.is(document.usage.input_tokens, 30)
})

test.run()
