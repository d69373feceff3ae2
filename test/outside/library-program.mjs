/**
 * A program that prints one line for each feature of the library. `runtimes.ts` runs it, and says which output it expects. Its argument is
 * the port of the service.
 */
import { AuthError, choice, createClient, noul, score } from 'typed-questions'

const baseUrl = `http://127.0.0.1:${process.argv[2]}`
const questions = {
  q: noul('?'),
  c: choice('?', ['a', 'b']),
  s: score('?', ['x', 'y']),
  r: noul('?'),
}

/** Prints values on one line: texts as they are, other values as JSON. */
const print = (...values) => {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  console.log(texts.join(' '))
}

/** Prints the error with which `promise` rejects. Errors of other libraries have only a name. */
const printError = async (title, promise) => {
  const error = await promise.then(
    () => ({}),
    (reason) => reason,
  )
  const { name, kind, status = '', requestId = '', attempts = '', message } = error
  print(title, name, kind, status, requestId, attempts, kind ? message : '')
}

// Deno's node:http cannot end a request on a reused connection.
const denoOptions = 'Deno' in globalThis ? { fetch: (...args) => fetch(...args) } : {}
const client = createClient({ baseUrl, apiKey: 'key', model: 'm', ...denoOptions })

// Answers and models. The service answers the question `r` with a refusal.
const { answers, model, usage, request_id, json } = await client.ask(
  { any: ['value', 1] },
  questions,
)
const { q, c, s, r } = answers
print('ask', model, usage, request_id, json.length, q.noul, q.json, c.choice, s.level, r.type)
print('models', await client.models())

// Errors. The service responds to a state that is a number with this status, and never responds to the state `slow`.
await printError('auth', client.ask('401', questions))
print('class', (await client.askResult('401', questions)).error instanceof AuthError)
await printError('retried', client.ask('429', questions))
await printError('not retried', client.ask('429', questions, { maxRetries: 0 }))
await printError('slow', client.ask('slow', questions, { timeout: 100, maxRetries: 0 }))
const unreachable = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 0 })
await printError('no service', unreachable.ask('x', questions))
const signal = AbortSignal.timeout(50)
await printError('aborted', client.ask('slow', questions, { signal }))
const controller = new AbortController()
const abortedClient = createClient({ baseUrl, apiKey: 'k', signal: controller.signal })
const abortedCall = abortedClient.ask('slow', questions)
controller.abort(new RangeError('mine'))
await printError('client aborted', abortedCall)
await printError('no state', client.ask(undefined, questions))
await printError('no questions', client.ask('x', {}))

// Options of clients
const fetchClient = createClient({ baseUrl, apiKey: 'k', fetch: (...args) => fetch(...args) })
print('own fetch', (await fetchClient.ask('x', questions)).answers.q.noul)
for (const options of [{ dialect: 'systemone' }, { provider: 'typesafe' }]) {
  const systemone = createClient({ ...options, baseUrl, apiKey: 'k', ...denoOptions })
  print('systemone', (await systemone.ask('x', questions)).answers.c.choice)
}

// Batches
const rows = Array.from({ length: 20 }, (_, id) => ({
  id,
  state: id === 3 ? '401 is not here' : `row ${id}`,
  labels: { c: 'a' },
}))
const records = []
for await (const record of client.batch(rows, questions, { concurrency: 4 })) records.push(record)
const answeredInOrder = records.filter((record, i) => record.id === i && record.answers.q.noul > 0)
print('batch', answeredInOrder.length, records[0].labels)

// The policy accepts an answer if its likelier side has at least the probability 0.6. The answer 0.3 is a no with 0.7.
const policy = {
  questions: {
    q: {
      type: 'noul',
      questions_sha256: records[0].questions_sha256,
      models: ['m'],
      map: { method: 'none' },
      cut: { at: 0.6, scale: 'top' },
    },
  },
}
const repeatedBatch = client.batch([{ state: 'x' }], questions, {
  rpm: 1e6,
  repeat: 2,
  permute: 2,
  policy,
})
for await (const record of repeatedBatch) print('run', record.run, record.policy.q)

/** Runs a batch, and prints the status of each failed row. Rejects if the batch fails. */
const printFailures = async (batchRows, options) => {
  for await (const { error } of client.batch(batchRows, questions, options))
    print('failed', error.status)
}
const failFastOptions = { failFast: true, concurrency: 1 }
await printError('stopped', printFailures([{ state: '400' }, ...rows], failFastOptions))

let reusedCount = 0
for await (const record of client.batch(rows, questions, { reuse: records }))
  if (record.reused) reusedCount += 1
print('reused', reusedCount)

const slowRows = [{ state: 'x' }, ...Array(30).fill({ state: 'slow' })]
for await (const record of client.batch(slowRows, questions)) {
  print('left after', record.index)
  break
}

await printError('key refused in a batch', printFailures([{ state: '401' }], {}))

// Time for the service to notice that the requests of the batch that was left are closed.
await new Promise((resolve) => setTimeout(resolve, 200))
print('still open', await (await fetch(`${baseUrl}/open`)).text())
