import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseText } from '../../lib/json/parse'
import { noSpan } from '../../lib/runtime/trace'
import { lexicalEngine } from '../../lib/service/engines/lexical/engine'
import { readAsk } from '../../lib/service/http/read-ask'
import { engineInWorkers, readInWorkers, type Workers } from '../../lib/service/workers/engines'
import { owned, restored } from '../../lib/service/workers/moved'
import { performer } from '../../lib/service/workers/perform'
import { type Lost, type Pool, workerPool } from '../../lib/service/workers/pool'
import { until } from '../support/until'
import { example, jsonOf, post, standIn, start } from './support'

const test = suite('service: worker threads (D69)')

/** A worker that does as it is told, and says how many pieces it has done. */
const obedient = `
  const { parentPort } = require('node:worker_threads')
  let done = 0
  parentPort.on('message', (task) => {
    if (task === 'spin') for (;;);
    if (task === 'throw') throw new Error('it broke')
    if (task === 'exit') process.exit()
    setTimeout(() => parentPort.postMessage(++done), task === 'wait' ? 50 : 0)
  })`

/** A pool of such workers, and how many it has started. */
const pool = (size: number): Pool<string, number> & { readonly started: () => number } => {
  let started = 0
  const made = workerPool<string, number>(size, () => {
    started += 1
    return new Worker(obedient, { eval: true })
  })
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
  assert.is(causeOf(await run(() => 'throw', never)), 'it broke')
  assert.is(causeOf(await run(() => 'exit', never)), 'the worker ended')
  assert.equal(await run(() => 'one', never), E.right(1))
  await close()
  assert.equal(await run(() => 'one', never), E.right(1))
  await close()
})

/** Workers on this thread: messages are cloned as they are on the way to another. */
const here = (open: Parameters<typeof performer>[0]): Workers => {
  const perform = performer(open)
  return {
    run: async (task) => E.right(structuredClone(await perform(structuredClone(task())))),
    close: async () => undefined,
  }
}

test('a request that was read in another thread is the same as one that was read here', async () => {
  const text =
    '{"model":"m","state":{"n":1e400,"__proto__":[1.0]},"questions":{"10":{"type":"noul","criteria":{"true":["x"]}},' +
    '"__proto__":{"type":"choice","criteria":{"__proto__":{"a":12345678901234567890},"b":null}},' +
    '"s":{"type":"score","criteria":["\\ud800",[1.50]]},"o":{"type":"other","x":[1]}}}'
  const read = readInWorkers(here(async () => E.right(standIn())))
  const context = { signal: never, span: noSpan }
  const there = await read(Buffer.from(text), context)
  assert.equal(there, readAsk(Buffer.from(text)))
  const faulty = Buffer.from('{"questions":{"a":1}}')
  assert.equal(await read(Buffer.from(faulty), context), readAsk(faulty))
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

test('an engine in workers answers and refuses as it does outside them', async () => {
  const engine = standIn()
  const opened = await engineInWorkers(
    'stand-in',
    here(async () => E.right(engine)),
    never,
  )()
  if (E.isLeft(opened)) throw new Error(opened.left.message)
  const inside = await start(opened.right)
  const outside = await start(engine)
  for (const document of [
    example,
    { ...example, model: 'nobody' },
    { ...example, questions: { a: { type: 'essay' } } },
    { questions: {} },
    'no JSON',
  ]) {
    const [there, here] = [await post(inside.url, document), await post(outside.url, document)]
    assert.is(there.status, here.status)
    assert.equal(await jsonOf(there), await jsonOf(here))
  }
  const facts = (lines: ReadonlyArray<string>): string =>
    lines.join('').replace(/(time|request_id|duration)=\S+/g, '')
  assert.is(facts(inside.lines), facts(outside.lines))
  await inside.stop()
  await outside.stop()
})

test('an engine that cannot be opened fails the start', async () => {
  const opened = await engineInWorkers(
    'lexical',
    workerPool(1, () => new Worker('throw new Error("no model")', { eval: true })),
    never,
  )()
  assert.equal(E.isLeft(opened) && opened.left.message, 'no model')
  const answered = await performer(async () => E.right(lexicalEngine()))({ kind: 'open' })
  assert.ok(answered.kind === 'open' && E.isRight(answered.result))
})

test.run()
