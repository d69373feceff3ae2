import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseText } from '../../lib/json/parse'
import type { AnsweringEngine } from '../../lib/service/contract/engine'
import { engineFailed } from '../../lib/service/contract/problem'
import { withModel } from '../../lib/service/engines/upstream/with-model'
import { readAsk } from '../../lib/service/http/read-ask'
import {
  engineInWorkers,
  largestInline,
  readInWorkers,
  setModelInWorkers,
  type Workers,
} from '../../lib/service/workers/engines'
import { memoryOf } from '../../lib/service/workers/messages'
import { performTask } from '../../lib/service/workers/perform-task'
import { type Lost, type Pool, workerPool } from '../../lib/service/workers/pool'
import { owned, restored } from '../../lib/service/workers/transfer'
import { noSpan } from '../../lib/telemetry/trace'
import { until } from '../support/until'
import { example, firstOption, jsonOf, post, standIn, start } from './support'

const test = suite('service: worker threads (D69)')

/** A worker that does as it is told, and says how many pieces it has done. */
const obedient = `
  const { parentPort } = require('node:worker_threads')
  let done = 0
  parentPort.on('message', (task) => {
    if (task === 'spin') for (;;);
    if (task === 'throw') throw new Error('the worker ended by Error')
    if (task === 'exit') process.exit()
    setTimeout(() => parentPort.postMessage(++done), task === 'wait' ? 50 : 0)
  })`

/** A pool of such workers, and how many it has started. */
const pool = (size: number): Pool<string, number> & { readonly started: () => number } => {
  let started = 0
  const made = workerPool<string, number>(
    size,
    () => {
      started += 1
      return new Worker(obedient, { eval: true })
    },
    () => [],
  )
  return { ...made, started: () => started }
}

const never = new AbortController().signal
const causeOf = (result: E.Either<Lost, number>): string =>
  E.isLeft(result) ? result.left.cause : `done ${result.right}`

test('as many workers as there is work for, one piece each at a time', async () => {
  const { run, started, close } = pool(2)
  assert.is(started(), 0)
  assert.equal(await run(() => 'one', never), E.right(1))
  assert.equal(await run(() => 'two', never), E.right(2))
  assert.is(started(), 1)
  const results = await Promise.all(Array.from({ length: 6 }, () => run(() => 'wait', never)))
  assert.is(started(), 2)
  assert.ok(results.every(E.isRight))
  await close()
})

test('a signal ends work in the middle, and the next piece has a new worker', async () => {
  const { run, started, close } = pool(1)
  const end = new AbortController()
  const spinning = run(() => 'spin', end.signal)
  const waiting = run(() => 'one', never)
  const left = new AbortController()
  const leaving = run(() => 'one', left.signal)
  left.abort()
  assert.is(causeOf(await leaving), 'the work was ended')
  await until(() => started() === 1)
  end.abort()
  assert.is(causeOf(await spinning), 'the work was ended')
  assert.equal(await waiting, E.right(1))
  assert.is(started(), 2)
  await close()
})

test('a worker that dies loses its own piece of work only, also while it has none', async () => {
  const { run, close } = pool(1)
  assert.is(causeOf(await run(() => 'throw', never)), 'the worker ended by Error')
  assert.is(causeOf(await run(() => 'exit', never)), 'the worker ended')
  assert.equal(await run(() => 'one', never), E.right(1))
  await close()
  assert.equal(await run(() => 'one', never), E.right(1))
  await close()
})

/** Workers on this thread: messages are cloned and transferred as they are on the way to another. */
const here = (engine: AnsweringEngine): Workers & { readonly kinds: ReadonlyArray<string> } => {
  const kinds: string[] = []
  return {
    run: async (task) => {
      const sent = task()
      kinds.push(sent.kind)
      const received = structuredClone(sent, { transfer: [...memoryOf(sent)] })
      return E.right(structuredClone(await performTask(received, async () => engine)))
    },
    close: async () => undefined,
    kinds,
  }
}

/** A document with blanks before it, so that it has so many bytes. */
const padded = (document: unknown, bytes: number): string => {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  return ' '.repeat(bytes - Buffer.byteLength(text)) + text
}

const sizes = [largestInline, largestInline + 1]

test('small requests are read here and larger ones in another thread, to the same end', async () => {
  const text =
    '{"model":"m","state":{"n":1e400,"__proto__":[1.0]},"questions":{"10":{"type":"noul","criteria":{"true":["x"]}},' +
    '"__proto__":{"type":"choice","criteria":{"__proto__":{"a":12345678901234567890},"b":null}},' +
    '"s":{"type":"score","criteria":["\\ud800",[1.50]]},"o":{"type":"other","x":[1]}}}'
  const workers = here(standIn())
  const read = readInWorkers(workers)
  const context = { signal: never, span: noSpan }
  for (const document of [text, '{"questions":{"a":1}}'])
    for (const size of sizes) {
      const whole = padded(document, size)
      assert.equal(await read(Buffer.from(whole), context), readAsk(Buffer.from(whole)))
    }
  assert.equal(workers.kinds, ['read', 'read'])
})

test('small documents get their model here and larger ones in another thread, and both stay as they were', async () => {
  const workers = here(standIn())
  const set = setModelInWorkers(workers)
  const context = { signal: never, span: noSpan }
  for (const document of ['{"n":1.0,"n":2}', '{"model":"jev-latest"}', '{"model":"own"}', '[1.0]'])
    for (const size of sizes) {
      const body = Buffer.from(padded(document, size))
      const changed = await set(body, 'm', context)
      assert.ok(E.isRight(changed) && Buffer.from(changed.right).equals(withModel(body, 'm')))
      assert.is(body.toString(), padded(document, size))
    }
  assert.equal(workers.kinds, Array(4).fill('model'))
})

test('only bytes that have their memory for themselves are moved', () => {
  const small = Buffer.from('a few bytes of a larger piece')
  assert.is(owned(small).buffer.byteLength, small.length)
  assert.equal(Buffer.from(owned(small)), small)
  const whole = new Uint8Array(10)
  assert.is(owned(whole), whole)
  const json = parseText('[1.0]')
  if (E.isRight(json)) assert.equal(restored(structuredClone(json.right)), json.right)
})

test('small requests are answered here and larger ones in workers, in the same way', async () => {
  const words = 'I was charged twice, says the state that the engine quotes.'
  const engine = standIn(async (request) =>
    request.questions.length === 1
      ? engineFailed('It failed.', `no: '${words}' is odd`)
      : firstOption(request),
  )
  const workers = here(engine)
  const inside = await start(engineInWorkers(engine, workers))
  const outside = await start(engine)
  const documents = [
    example,
    { ...example, model: 'nobody' },
    { ...example, questions: { a: { type: 'essay' } } },
    { state: words, questions: { a: { type: 'noul' } } },
    { questions: {} },
    'no JSON',
  ]
  for (const document of documents)
    for (const size of sizes) {
      const text = padded(document, size)
      const [there, here] = [await post(inside.url, text), await post(outside.url, text)]
      assert.is(there.status, here.status)
      assert.equal(await jsonOf(there), await jsonOf(here))
    }
  assert.equal(workers.kinds, Array(documents.length).fill('ask'))
  const facts = (lines: ReadonlyArray<string>): string =>
    lines.join('').replace(/(time|request_id|duration|cause)=("[^"]*"|\S+)/g, '')
  assert.is(facts(inside.lines), facts(outside.lines))
  const causes = inside.lines.flatMap((line) => /cause="(.*)"/.exec(line)?.[1] ?? [])
  assert.is(causes.length, 2)
  for (const cause of causes) assert.match(cause, /^no:.{0,2}….{1,3} ?odd$/)
  await inside.stop()
  await outside.stop()
})

test('small requests do not wait until large ones are answered', async () => {
  const end = new AbortController()
  const workers = here(standIn())
  const slow: Workers = {
    ...workers,
    run: async (task, signal) => {
      await new Promise((done) => end.signal.addEventListener('abort', done))
      return workers.run(task, signal)
    },
  }
  const limits = { maxConcurrent: 1, maxQueue: 0 }
  const service = await start(engineInWorkers(standIn(), slow), limits)
  const large = padded(example, largestInline + 1)
  const first = post(service.url, large)
  await until(async () =>
    (await (await fetch(`${service.url}/metrics`)).text()).includes('svc_requests_running 1\n'),
  )
  assert.is((await post(service.url, large)).status, 529)
  assert.is((await post(service.url, example)).status, 200)
  end.abort()
  assert.is((await first).status, 200)
  await service.stop()
})

test('an engine that throws in a worker is a failure without the request', async () => {
  const task = { kind: 'ask', body: owned(Buffer.from(JSON.stringify(example))) } as const
  const engine = standIn(async () => {
    throw new Error(`odd: ${example.state.ticket}`)
  })
  const done = await performTask(task, async () => engine)
  assert.equal(
    done.kind === 'ask' && done.outcome.result,
    E.left(engineFailed('The engine failed.', 'defect: odd: …')),
  )
})

test.run()
