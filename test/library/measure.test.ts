import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { calibrate, compare, evaluate, readRun, sample } from '../../lib/library/measure'
import { root } from '../support/folders'

const test = suite('library/measure')

const fixture = (path: string): string => join(root, 'fixtures', path)
const golden = (path: string): string => readFileSync(join(root, 'golden', path, 'stdout'), 'utf8')
const parseLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('gives the documents of the commands', async () => {
  const table = fixture('eval/table/run.jsonl')
  assert.equal(await evaluate(readRun(table)), JSON.parse(golden('eval/json')))
  const targets = ['precision=0.7', 'accuracy=0.8']
  assert.equal(
    await calibrate(readRun(fixture('calibrate/policy/run.jsonl')), { targets }),
    JSON.parse(golden('calibrate/policy')),
  )
  const [a, b] = ['a', 'b'].map((name) => readRun(fixture(`compare/table/${name}.jsonl`)))
  assert.ok(a && b)
  assert.equal(await compare(a, b), JSON.parse(golden('compare/json')))
  assert.equal(
    await sample(readRun(fixture('sample/margin/run.jsonl')), { size: 4, for: 'measure' }),
    parseLines(golden('sample/explore-all')),
  )
})

test('takes records from anywhere', async () => {
  const path = fixture('eval/table/run.jsonl')
  const expected = await evaluate(readRun(path))
  const records = parseLines(readFileSync(path, 'utf8'))
  assert.equal(await evaluate(records), expected)
  async function* bytes() {
    for (const byte of readFileSync(path)) yield Uint8Array.of(byte)
  }
  assert.equal(await evaluate(readRun(bytes())), expected)
})

test('a run may be one document of svc ask over several lines', async () => {
  async function* bytes() {
    yield Buffer.from('{"model":"m",\n"answers":{"q":{"type":"noul","noul":0.5}}}\n')
  }
  let count = 0
  for await (const { answers } of readRun(bytes())) count += Object.keys(Object(answers)).length
  assert.is(count, 1)
})

test('a record keeps its text, and is not changed in place', async () => {
  async function* bytes() {
    yield Buffer.from('{"model":"m","answers":{"q":{"type":"noul","noul":0.50}}}\n\n')
  }
  for await (const record of readRun(bytes())) {
    assert.is(record.json, '{"model":"m","answers":{"q":{"type":"noul","noul":0.50}}}')
    assert.throws(() => Object.assign(record, { labels: { q: true } }), /read only|not extensible/)
    const labelled = { ...record, labels: { q: true } }
    assert.is((await evaluate([labelled])).questions.q?.accuracy, 1)
  }
})

test('says what is wrong, and where', async () => {
  const failures = [
    [evaluate([]), 'evaluate: the run has no rows'],
    [evaluate([{ model: 'm', answers: {} }, { model: 'm' }]), 'run: line 2: neither "answers" nor'],
    [evaluate(readRun('none.jsonl')), 'read run: none.jsonl: no such file or directory'],
    [calibrate([], { targets: ['luck=1'] }), '--target "luck=1": expected'],
    [calibrate([], { targets: [], confidence: 1 }), 'confidence must be between 0 and 1, got 1'],
    [compare([], []), 'compare: no row was answered in both runs'],
    [sample([], { size: 0, for: 'review' }), 'size must be a whole number above 0'],
  ] as const
  for (const [promise, message] of failures) {
    const error = await promise.then(
      () => undefined,
      (one: unknown) => one,
    )
    assert.ok(error instanceof Error)
    assert.match(error.message, message)
  }
})

test.run()
