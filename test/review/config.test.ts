import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeReviewConfig } from '../../lib/codec/review-config'
import published from '../../lib/codec/svc-review.schema.json'

const test = suite('review: configuration')

const unit = {
  name: 'auth',
  spec_heading: '## Auth',
  implementation: ['a.ts'],
  behaviors: ['refuses', 'accepts'],
}
const other = { ...unit, name: 'other' }
const decode = (text: string) => decodeReviewConfig('svc-review.json', Buffer.from(text))

test('defaults are filled in, unknown keys tolerated', () => {
  const config = {
    $schema: 'x',
    description: 'd',
    spec: 'spec.md',
    units: [unit, { ...other, spec: '/abs.md', tests: ['t'], notes: ['n'], extra: 1 }],
  }
  assert.equal(
    decode(JSON.stringify(config)),
    E.right([
      { ...unit, spec: 'spec.md', tests: [], accepted: [], notes: [] },
      { ...other, spec: '/abs.md', tests: ['t'], accepted: [], notes: ['n'] },
    ]),
  )
})

test('accepted: texts of behaviors and three ids', () => {
  const accepted = ['accepts', 'weakest_area', 'thoroughness', 'contradicts_spec', 'refuses']
  const result = decode(JSON.stringify({ spec: 's', units: [{ ...unit, accepted }] }))
  assert.ok(E.isRight(result))
})

test('null counts as absent, a byte order mark is skipped', () => {
  const units = [{ ...unit, spec: null, tests: null, accepted: null, notes: null }]
  const text = JSON.stringify({ description: null, spec: 's', units })
  assert.ok(E.isRight(decode(`\ufeff${text}`)))
})

/** Documents that fail, and the message. */
const refused: ReadonlyArray<readonly [document: unknown, message: string]> = [
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
  [{ units: [{ name: 'auth' }] }, 'svc-review.json: unit "auth": spec_heading: is required'],
  [
    { units: [{ ...unit, spec_heading: '' }] },
    'svc-review.json: unit "auth": spec_heading: must not be empty',
  ],
  [
    { units: [{ ...unit, implementation: undefined }] },
    'svc-review.json: unit "auth": implementation: is required',
  ],
  [
    { units: [{ ...unit, implementation: [] }] },
    'svc-review.json: unit "auth": implementation: must not be empty',
  ],
  [
    { units: [{ ...unit, implementation: 'a.ts' }] },
    'svc-review.json: unit "auth": implementation: must be an array',
  ],
  [
    { units: [{ ...unit, implementation: ['a', 1] }] },
    'svc-review.json: unit "auth": implementation[1]: must be a string',
  ],
  [
    { units: [{ ...unit, behaviors: undefined }] },
    'svc-review.json: unit "auth": behaviors: is required',
  ],
  [
    { units: [{ ...unit, behaviors: [] }] },
    'svc-review.json: unit "auth": behaviors: must not be empty',
  ],
  [{ units: [{ ...unit, tests: {} }] }, 'svc-review.json: unit "auth": tests: must be an array'],
  [
    { units: [{ ...unit, notes: [null] }] },
    'svc-review.json: unit "auth": notes[0]: must be a string',
  ],
  [
    { units: [{ ...unit, accepted: 1 }] },
    'svc-review.json: unit "auth": accepted: must be an array',
  ],
  [{ units: [{ ...unit, spec: [] }] }, 'svc-review.json: unit "auth": spec: must be a string'],
]

/** Documents whose fields are well-formed one by one. */
const refusedTogether: typeof refused = [
  [{ units: [unit] }, 'unit "auth": "spec" is required at the top level or on every unit'],
  [
    { spec: '', units: [{ ...unit, spec: '' }] },
    'unit "auth": "spec" is required at the top level or on every unit',
  ],
  [
    { units: [{ ...unit, spec: 's' }, other] },
    'unit "other": "spec" is required at the top level or on every unit',
  ],
  [
    { spec: 's', units: [unit, other, unit] },
    'svc-review.json: unit "auth": units[2].name: is already the name of another unit',
  ],
  [
    { spec: 's', units: [{ ...unit, accepted: ['refuses', 'covers_01'] }] },
    'svc-review.json: unit "auth": accepted[1]: "covers_01" is the id of a question, which moves ' +
      'when behaviors do: name the text of the behavior itself',
  ],
  [
    { spec: 's', units: [{ ...unit, behaviors: ['covers_7'], accepted: ['covers_7'] }] },
    'svc-review.json: unit "auth": accepted[0]: "covers_7" is the id of a question, which moves ' +
      'when behaviors do: name the text of the behavior itself',
  ],
  [
    { spec: 's', units: [{ ...unit, accepted: ['Refuses'] }] },
    'svc-review.json: unit "auth": accepted[0]: "Refuses" is neither the text of one of the ' +
      "unit's behaviors nor one of contradicts_spec, thoroughness, weakest_area",
  ],
]

for (const [document, message] of [...refused, ...refusedTogether])
  test(message, () => assert.equal(decode(JSON.stringify(document)), E.left(message)))

test('invalid JSON names file, line and column', () => {
  const result = decode('{\n  "units": [}')
  assert.ok(E.isLeft(result))
  assert.match(result.left, /^svc-review\.json: invalid JSON: line 2, column 13: /)
})

interface Schema {
  readonly type?: string
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minItems?: number
  readonly minLength?: number
  readonly anyOf?: ReadonlyArray<Schema>
}

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value

/** As much of JSON Schema as the published one uses. */
const valid = (schema: Schema, value: unknown): boolean => {
  const { type, required = [], properties = {}, items, minItems = 0, minLength = 0, anyOf } = schema
  if (type !== undefined && typeOf(value) !== type) return false
  if (anyOf !== undefined && !anyOf.some((one) => valid(one, value))) return false
  if (typeof value === 'string') return value.length >= minLength
  if (Array.isArray(value))
    return value.length >= minItems && (!items || value.every((item) => valid(items, item)))
  if (typeof value !== 'object' || value === null) return true
  const members = new Map(Object.entries(value))
  return (
    required.every((name) => members.has(name)) &&
    Object.entries(properties).every(
      ([name, one]) => !members.has(name) || valid(one, members.get(name)),
    )
  )
}

test('schema and codec agree', () => {
  const schema: Schema = JSON.parse(JSON.stringify(published))
  const good = [
    { spec: 's', units: [unit] },
    { units: [{ ...unit, spec: 's', tests: [], accepted: [], notes: ['n'] }], extra: {} },
  ]
  for (const document of good) {
    assert.ok(valid(schema, document))
    assert.ok(E.isRight(decode(JSON.stringify(document))))
  }
  for (const [document, message] of refused) {
    const whole = Array.isArray(document) ? document : { spec: 's', ...Object(document) }
    assert.not.ok(valid(schema, JSON.parse(JSON.stringify(whole))), message)
  }
  for (const [document] of refusedTogether.slice(0, 3)) assert.not.ok(valid(schema, document))
})

test.run()
