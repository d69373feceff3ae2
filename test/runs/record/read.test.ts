import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import type { RunRecord } from '../../../lib/runs/record/decode'
import { isAnswered } from '../../../lib/runs/record/outcome'
import { readRun } from '../../../lib/runs/record/read'
import { encodeRecord } from '../../../lib/runs/record/record'
import { createResponse, digest, parseValue, readRecordsOfText } from './records'

const test = suite('runs/record/read')

const answeredRecord = '{"model":"m","answers":{"a":{"type":"noul","noul":0.5}},"usage":{}}'

/** Answers with numbers, an order of keys and names that a careless encoder would change. svc does not know the type `vector`. */
const answersText = `{"billing": {"type": "noul", "noul": 0.90},
 "tone": {"type":"choice","choice":"b","confidence":0.4,"probabilities":{"b":0.6,"10":0.3,"2":0.1}},
 "odd": {"type": "vector", "at": 1e400}, "__proto__": {"type":"noul","noul":1.0}}`

const encodedRecord = encodeRecord(
  {
    index: 7,
    repetition: 1,
    id: parseValue('"r\\u0031"'),
    group: parseValue('1.0'),
    labels: [
      ['billing', parseValue('true')],
      ['tone', parseValue('null')],
    ],
    state: parseValue('{ "__proto__":1, "10": 12345678901234567890 }'),
    stateSha256: digest,
    questionsSha256: digest,
  },
  { isReused: false, response: createResponse(answersText), gate: { passed: true, failed: [] } },
).toString()

/** Reads a run that must have exactly one record. */
const readSingleRecord = async (text: string): Promise<RunRecord> => {
  const records = await readRecordsOfText(text)
  if (typeof records === 'string') throw new Error(records)
  assert.is(records.length, 1)
  return records[0] as RunRecord
}

test('encodes a record as one line, with the order of keys and the text of numbers unchanged', () => {
  const expected =
    `{"index":7,"run":1,"id":"r1","group":1.0,"labels":{"billing":true,"tone":null},` +
    `"state":{"__proto__":1,"10":12345678901234567890},"state_sha256":"${digest}",` +
    `"questions_sha256":"${digest}","model":"m-1","answers":{"billing":{"type":"noul","noul":0.90},` +
    `"tone":{"type":"choice","choice":"b","confidence":0.4,"probabilities":{"b":0.6,"10":0.3,"2":0.1}},` +
    `"odd":{"type":"vector","at":1e400},"__proto__":{"type":"noul","noul":1.0}},` +
    `"usage":{"input_tokens":4,"output_tokens":2},"request_id":"req_1",` +
    `"gate":{"passed":true,"failed":[]}}\n`
  assert.is(encodedRecord, expected)
})

test('decodes the record that was encoded', async () => {
  const record = await readSingleRecord(encodedRecord)
  assert.is(record.line, 1)
  assert.is(record.index, 7)
  assert.is(record.repetition, 1)
  assert.is(encodeText(record.id ?? null), '"r1"')
  assert.equal([...record.labels], [['billing', true]])
  assert.is(record.stateSha256, digest)
  assert.is(`${encodeText(record.document)}\n`, encodedRecord)
  if (!isAnswered(record.outcome)) throw new Error('not answered')
  const { answers, usage, gate, model } = record.outcome
  assert.is(model, 'm-1')
  assert.equal(usage, { input: 4, output: 2, cost: undefined })
  assert.equal(gate, { passed: true })
  assert.equal([...answers.keys()], ['billing', 'tone', 'odd', '__proto__'])
  assert.equal(answers.get('billing'), { type: 'noul', noul: 0.9 })
  assert.equal(answers.get('odd'), { type: 'other', name: 'vector' })
})

/** Adds a member, of which `member` is the JSON text, at the beginning of `answeredRecord`. */
const addMember = (member: string): string => `{${member},${answeredRecord.slice(1)}`

test('a group of null or "" counts as no group', async () => {
  for (const group of ['null', '""']) {
    const record = await readSingleRecord(addMember(`"group":${group}`))
    assert.is(record.group, undefined)
  }
})

test('a group of 0 or of a space is a group', async () => {
  for (const group of ['0', '" "']) {
    const record = await readSingleRecord(addMember(`"group":${group}`))
    assert.is(encodeText(record.group ?? null), group)
  }
})

test('cuts a name of 1000 characters in the message about an invalid record', async () => {
  const name = 'x'.repeat(1000)
  const texts = [addMember(`"labels":{"${name}":[]}`), `{"model":"m","answers":{"${name}":1}}`]
  for (const text of texts) {
    const message = await readRecordsOfText(text)
    assert.ok(typeof message === 'string' && message.length < 250)
  }
})

test('keeps the order of probabilities if a label looks like an index', async () => {
  const answer = '{"type":"choice","choice":"b","confidence":1,"probabilities":{"b":0.6,"10":0.4}}'
  const { outcome } = await readSingleRecord(`{"model":"m","answers":{"q":${answer}},"usage":{}}`)
  const choice = isAnswered(outcome) ? outcome.answers.get('q') : undefined
  assert.equal(choice?.type === 'choice' && choice.probabilities, [
    ['b', 0.6],
    ['10', 0.4],
  ])
})

const errorDocument = '{"error":{"kind":"auth","message":"no"}}'

test('reads documents of svc ask, one on each line, and ignores a byte order mark and blank lines', async () => {
  const records = await readRecordsOfText(
    `\ufeff${answeredRecord}\r\n\n  \n${errorDocument}\n${answeredRecord}`,
  )
  if (typeof records === 'string') throw new Error(records)
  assert.equal(
    records.map(({ index, line, outcome }) => ({ index, line, isAnswered: isAnswered(outcome) })),
    [
      { index: 0, line: 1, isAnswered: true },
      { index: 1, line: 4, isAnswered: false },
      { index: 2, line: 5, isAnswered: true },
    ],
  )
})

test('reads a single document of svc ask that spans several lines', async () => {
  const indented = JSON.stringify(JSON.parse(answeredRecord), null, 2)
  for (const chunkBytes of [1, 7, 1000]) {
    const records = await readRecordsOfText(`\n${indented}\n`, chunkBytes)
    assert.is(typeof records === 'string' ? records : records.length, 1)
  }
})

test('reads a run in UTF-16 with a byte order mark, as PowerShell 5.1 writes it', async () => {
  const text = Buffer.from(`\ufeff${answeredRecord}\r\n${answeredRecord}\r\n`, 'utf16le')
  for (const chunkBytes of [1, 7, 1000]) {
    const records = await readRecordsOfText(text, chunkBytes)
    assert.is(typeof records === 'string' ? records : records.length, 2)
  }
})

test('reads an empty run', async () => {
  assert.equal(await readRecordsOfText(''), [])
})

const invalidRuns: ReadonlyArray<{ readonly text: string | Buffer; readonly message: string }> = [
  { text: `${answeredRecord}\n1\n`, message: 'line 2: a record must be an object' },
  {
    text: `[\n${answeredRecord}\n]\n`,
    message: `line 1: a record must be an object, not an array: jq -c '.[]' writes its elements as lines`,
  },
  {
    text: Buffer.from(answeredRecord, 'utf16le'),
    message: 'this is utf-16le without a byte order mark: save it as UTF-8',
  },
  {
    text: `${answeredRecord}\n{"a" 1}\n`,
    message: 'line 2, column 6: expected ":" after a member name, found "1"',
  },
  {
    text: `${answeredRecord}\n{"a":`,
    message:
      'line 2, column 6: expected a value, found the end of the document; continue an interrupted run with svc batch --resume',
  },
  {
    text: `${answeredRecord}\n{"a":\n`,
    message: 'line 2, column 6: expected a value, found the end of the document',
  },
  {
    text: '{"model":\n\n"m"\n,,',
    message: 'line 4, column 2: expected a member name in double quotes, found ","',
  },
  { text: addMember('"index":-1'), message: 'line 1: "index" must be a whole number' },
  { text: addMember('"run":0.5'), message: 'line 1: "run" must be a whole number' },
  { text: addMember('"p":0'), message: 'line 1: "p" must be above 0 and at most 1' },
  { text: addMember('"p":"1"'), message: 'line 1: "p" must be above 0 and at most 1' },
  { text: addMember('"labels":3'), message: 'line 1: "labels" must be an object' },
  {
    text: addMember('"labels":{"a":[]}'),
    message: 'line 1: labels.a: must be true, false, a label or a level',
  },
  {
    text: addMember('"state_sha256":"x"'),
    message: 'line 1: a digest must be 64 hexadecimal digits',
  },
  { text: '{"index":0}', message: 'line 1: neither "answers" nor "error" is an object' },
  { text: '{"answers":{}}', message: 'line 1: model: is required' },
  {
    text: '{"error":{"kind":"x"}}',
    message: 'line 1: "error" must be an object with "kind" and "message"',
  },
  { text: '{"model":"m","answers":{"a":1}}', message: 'line 1: answers.a: must be an object' },
  { text: '{"model":"m","answers":{"a":{}}}', message: 'line 1: answers.a.type: is required' },
  {
    text: '{"model":"m","answers":{"a":{"type":"noul","noul":"1"}}}',
    message: 'line 1: answers.a.noul: must be a number',
  },
  {
    text: '{"model":"m","answers":{"a":{"type":"choice","choice":"x","confidence":1,"probabilities":{"x":"1"}}}}',
    message: 'line 1: answers.a.probabilities.x: must be a number',
  },
  {
    text: '{"model":"m","answers":{"a":{"type":"score","confidence":1}}}',
    message: 'line 1: answers.a.score: is required',
  },
  { text: addMember('"gate":{}'), message: 'line 1: "gate" must have "passed"' },
  {
    text: Buffer.from([0x22, 0xff, 0x22]),
    message: 'line 1, column 2: invalid UTF-8 at byte 0xff',
  },
]

for (const { text, message } of invalidRuns)
  test(`refuses a run: ${message}`, async () => {
    assert.is(await readRecordsOfText(text), `read run: run.jsonl: ${message}`)
  })

test('after an interrupt in the middle of a line, the failure is the interrupt and not the incomplete line', async () => {
  const controller = new AbortController()
  async function* yieldAndInterrupt(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${encodedRecord}\n{"index":1,"mo`)
    controller.abort()
  }
  const source = { name: 'run.jsonl', chunks: yieldAndInterrupt(), signal: controller.signal }
  const count = await readRun(source, () => undefined)()
  assert.is(E.isLeft(count) && count.left._tag, 'Interrupted')
})

test.run()
