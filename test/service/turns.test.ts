import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bodyTurns } from '../../lib/service/http/body-turns'
import { example, post, standIn, start } from './support'

const test = suite('service: large bodies take turns')

const bodies = (count: number): ReadonlyArray<Readable> =>
  Array.from({ length: count }, () => new PassThrough().resume())

const pausedOf = (all: ReadonlyArray<Readable>): ReadonlyArray<number> =>
  all.flatMap((body, i) => (body.isPaused() ? [i] : []))

test('what is over two megabytes in a turn waits, and all go on in the next', async () => {
  const turns = bodyTurns()
  const all = bodies(4)
  for (const body of all) turns.took(body, 1 << 20)
  assert.equal(pausedOf(all), [2, 3])
  await endOfTurn()
  assert.equal(pausedOf(all), [])
  for (const body of all) turns.took(body, 1 << 20)
  assert.equal(pausedOf(all), [2, 3])
})

test('of many that wait, those go on first that have waited longest', async () => {
  const turns = bodyTurns()
  const all = bodies(40)
  for (const body of all) turns.took(body, 2 << 20)
  assert.is(pausedOf(all).length, 39)
  await endOfTurn()
  assert.equal(pausedOf(all), [...all.keys()].slice(17))
  await endOfTurn()
  assert.equal(pausedOf(all), [...all.keys()].slice(33))
  await endOfTurn()
  assert.equal(pausedOf(all), [])
})

test('a body that has left is not resumed', async () => {
  const turns = bodyTurns()
  const all = bodies(2)
  for (const body of all) turns.took(body, 4 << 20)
  assert.equal(pausedOf(all), [0, 1])
  for (const body of all) turns.leave(body)
  await endOfTurn()
  assert.equal(pausedOf(all), [0, 1])
})

test('bodies that come at once are read to their ends, and those that are refused as well', async () => {
  const service = await start(standIn(), { maxConcurrent: 24 })
  const document = { ...example, state: 'x'.repeat(1 << 20) }
  const calls = Array.from({ length: 24 }, (_, i) =>
    post(service.url, document, i % 3 === 0 ? { authorization: '' } : {}),
  )
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  assert.equal(
    statuses,
    statuses.map((_, i) => (i % 3 === 0 ? 401 : 200)),
  )
  await service.stop()
})

test.run()
