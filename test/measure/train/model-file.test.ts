import Ajv from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeModel, encodeModel } from '../../../lib/measure/train/model-file'
import type { OwnModel, OwnQuestion } from '../../../lib/measure/train/own-model'
import schema from '../../../lib/measure/train/svc-model.schema.json'
import { createTermVocabulary } from '../../../lib/measure/train/terms'

const test = suite('model files')

const isValidBySchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)

const table = { name: 'table-1', dimensions: 2 }

const digest = 'a'.repeat(64)

const createQuestion = (fields: Pick<OwnQuestion, 'type' | 'labels' | 'classes'>): OwnQuestion => {
  const scoreCount = fields.classes.length === 2 ? 1 : fields.classes.length
  return {
    ...fields,
    questionsSha256: digest,
    sha256: undefined,
    rows: 40,
    from: 'labels',
    strength: 0.1,
    temperature: 1.25,
    // Two numbers of the vector, two terms and a constant.
    weights: Float32Array.from({ length: 5 * scoreCount }, (_, i) => i / 3 - 1),
  }
}

const model: OwnModel = {
  dimensions: 2,
  vocabulary: createTermVocabulary(['refund', 'so good'], Float32Array.of(1.5, 2.25)),
  questions: new Map([
    ['urgent', createQuestion({ type: 'noul', labels: ['no', 'yes'], classes: [0, 1] })],
    ['topic', createQuestion({ type: 'choice', labels: ['a', 'b', 'c'], classes: [0, 1, 2] })],
    ['tone', createQuestion({ type: 'score', labels: ['0', '1', '2'], classes: [0, 2] })],
  ]),
}

const file = encodeModel(model, 'table-1')

test('a file has all that the model has', () => {
  assert.equal(decodeModel(file, table), E.right(model))
  assert.ok(isValidBySchema(JSON.parse(file.toString())))
})

/** Changes a copy of the document of the file. */
type Change = (document: Record<string, unknown>, topic: Record<string, unknown>) => void

const faults: ReadonlyArray<{ readonly message: string; readonly change: Change }> = [
  { message: 'version: must be 1', change: (document) => (document.version = 2) },
  { message: 'table: must be table-1', change: (document) => (document.table = 'other') },
  { message: 'terms: is required', change: (document) => delete document.terms },
  { message: 'terms: one occurs twice', change: (document) => (document.terms = ['a', 'a']) },
  {
    message: 'terms: at most 20000',
    change: (document) => (document.terms = Array.from({ length: 20_001 }, String)),
  },
  { message: 'idf: must be 2 32-bit floats', change: (document) => (document.idf = 'AAAA') },
  { message: 'questions: must not be empty', change: (document) => (document.questions = {}) },
  { message: 'questions.topic.type: must be one of', change: (_, topic) => (topic.type = 'x') },
  { message: 'questions.topic.from: must be one of', change: (_, topic) => (topic.from = 'x') },
  {
    message: 'questions.topic.questions_sha256: must be 64',
    change: (_, topic) => (topic.questions_sha256 = 'x'),
  },
  { message: 'questions.topic.sha256: must be 64', change: (_, topic) => (topic.sha256 = 'x') },
  { message: 'questions.topic.labels: must be 2', change: (_, topic) => (topic.labels = ['a']) },
  {
    message: 'questions.topic.labels: one occurs twice',
    change: (_, topic) => (topic.labels = ['a', 'a']),
  },
  {
    message: 'questions.topic.left_out: "x" is no label',
    change: (_, topic) => (topic.left_out = ['x']),
  },
  {
    message: 'questions.topic.left_out: two labels must be left',
    change: (_, topic) => (topic.left_out = ['a', 'b']),
  },
  {
    message: 'questions.topic.temperature: must be from',
    change: (_, topic) => (topic.temperature = 0),
  },
  {
    message: 'questions.topic.strength: must be above 0',
    change: (_, topic) => (topic.strength = 0),
  },
  {
    message: 'questions.topic.weights: must be 15',
    change: (_, topic) => (topic.weights = 'AAAA'),
  },
  {
    message: 'questions.topic.weights: has a number that is not finite',
    change: (_, topic) =>
      (topic.weights = Buffer.from(new Float32Array(15).fill(Number.NaN).buffer).toString(
        'base64',
      )),
  },
  {
    message: 'questions.topic.weights: must be 15 32-bit floats in base64',
    change: (_, topic) => (topic.weights = `${String(topic.weights).slice(0, -4)}!!!!`),
  },
]

for (const { message, change } of faults)
  test(`refuses a file: ${message}`, () => {
    const document = JSON.parse(file.toString())
    change(document, document.questions.topic)
    const decoded = decodeModel(Buffer.from(JSON.stringify(document)), table)
    assert.ok(E.isLeft(decoded))
    assert.ok(decoded.left.startsWith(message), decoded.left)
  })

test('refuses a file of invalid JSON', () => {
  const decoded = decodeModel(file.subarray(0, 100), table)
  assert.ok(E.isLeft(decoded))
  assert.match(decoded.left, 'invalid JSON')
})

test.run()
