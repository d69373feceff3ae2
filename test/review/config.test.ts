import { Ajv2020 } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeReviewConfig } from '../../lib/codec/review-config'
import schema from '../../lib/codec/svc-review.schema.json'

/**
 * A configuration lists units. `svc review` asks whether the tests of a unit cover each of its behaviors. `accepted` names
 * results that do not fail the review, although they are past a threshold.
 */
const test = suite('review: configuration')

const unit = {
  name: 'auth',
  spec_heading: '## Auth',
  implementation: ['a.ts'],
  behaviors: ['refuses', 'accepts'],
}
const otherUnit = { ...unit, name: 'other' }
const decode = (text: string) => decodeReviewConfig('svc-review.json', Buffer.from(text))

/** Members that make a unit invalid, and the message after the name of the unit. */
const invalidMembers: ReadonlyArray<readonly [member: object, message: string]> = [
  [{ spec_heading: undefined }, 'spec_heading: is required'],
  [{ spec_heading: '' }, 'spec_heading: must not be empty'],
  [{ implementation: undefined }, 'implementation: is required'],
  [{ implementation: [] }, 'implementation: must not be empty'],
  [{ implementation: 'a.ts' }, 'implementation: must be an array'],
  [{ implementation: ['a', 1] }, 'implementation[1]: must be a string'],
  [{ behaviors: undefined }, 'behaviors: is required'],
  [{ behaviors: [] }, 'behaviors: must not be empty'],
  [{ tests: {} }, 'tests: must be an array'],
  [{ notes: [null] }, 'notes[0]: must be a string'],
  [{ accepted: 1 }, 'accepted: must be an array'],
  [{ spec: [] }, 'spec: must be a string'],
]

const invalidDocuments: ReadonlyArray<readonly [document: unknown, message: string]> = [
  [[], 'svc-review.json: must be an object'],
  [{}, 'svc-review.json: units: is required'],
  [{ units: null }, 'svc-review.json: units: is required'],
  [{ units: {} }, 'svc-review.json: units: must be an array'],
  [{ units: [] }, 'svc-review.json: units: must not be empty'],
  [{ units: ['x'] }, 'svc-review.json: units[0]: must be an object'],
  [{ spec: 1, units: [unit] }, 'svc-review.json: spec: must be a string'],
  [{ description: [], units: [unit] }, 'svc-review.json: description: must be a string'],
  [{ units: [{}] }, 'svc-review.json: units[0].name: is required'],
  [{ units: [unit, { ...unit, name: '' }] }, 'svc-review.json: units[1].name: must not be empty'],
  [{ units: [{ ...unit, name: 7 }] }, 'svc-review.json: units[0].name: must be a string'],
  ...invalidMembers.map(
    ([member, message]) =>
      [{ units: [{ ...unit, ...member }] }, `svc-review.json: unit "auth": ${message}`] as const,
  ),
]

/** Documents that lack a spec, the file that describes the units. Their messages do not name the configuration file. */
const documentsWithoutSpec: typeof invalidDocuments = [
  [{ units: [unit] }, 'unit "auth": "spec" is required at the top level or on every unit'],
  [
    { spec: '', units: [{ ...unit, spec: '' }] },
    'unit "auth": "spec" is required at the top level or on every unit',
  ],
  [
    { units: [{ ...unit, spec: 's' }, otherUnit] },
    'unit "other": "spec" is required at the top level or on every unit',
  ],
]

const documentsWithQuestionId: typeof invalidDocuments = [
  [
    { spec: 's', units: [{ ...unit, behaviors: ['covers_7'], accepted: ['covers_7'] }] },
    'svc-review.json: unit "auth": accepted[0]: "covers_7" is the id of a question, which moves ' +
      'when behaviors do: name the text of the behavior itself',
  ],
]

for (const [document, message] of [
  ...invalidDocuments,
  ...documentsWithoutSpec,
  ...documentsWithQuestionId,
])
  test(`refuses a configuration: ${message}`, () =>
    assert.equal(decode(JSON.stringify(document)), E.left(message)))

const isValidBySchema = new Ajv2020({ strict: false }).compile(schema)

test('the JSON Schema and the decoder accept a minimal and a complete configuration', () => {
  const documents = [
    { spec: 's', units: [unit] },
    { units: [{ ...unit, spec: 's', tests: [], accepted: [], notes: ['n'] }], $schema: 'x' },
  ]
  for (const document of documents) {
    assert.ok(isValidBySchema(document))
    assert.ok(E.isRight(decode(JSON.stringify(document))))
  }
})

test('the JSON Schema refuses invalid fields', () => {
  for (const [document, message] of invalidDocuments) {
    // With a spec, the schema has no other reason to refuse the document.
    const withSpec = Array.isArray(document) ? document : { spec: 's', ...Object(document) }
    assert.not.ok(isValidBySchema(JSON.parse(JSON.stringify(withSpec))), message)
  }
})

test('the JSON Schema refuses units without a spec', () => {
  for (const [document, message] of documentsWithoutSpec)
    assert.not.ok(isValidBySchema(document), message)
})

test.run()
