import { nonEmptyString, string } from './combinators'
import { configShape, someTexts, texts, unitShape } from './review-config'

/** A JSON Schema, as far as this one goes. */
type Schema = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const filled = { type: 'string', minLength: 1 }

/** What each codec of a field takes. */
const schemas = new Map<unknown, Schema>([
  [string, text],
  [nonEmptyString, filled],
  [texts, { type: 'array', items: text }],
  [someTexts, { type: 'array', items: text, minItems: 1 }],
])

const unitTexts: Readonly<
  Record<keyof typeof unitShape.required | keyof typeof unitShape.optional, string>
> = {
  name: 'Names the unit in the report and for --only. Unique in this file.',
  spec_heading:
    'A heading line of the spec file, exactly as it stands there, such as "### Limits". The section reaches to the next heading of the same or a higher level.',
  implementation: 'Files that implement the section.',
  behaviors: 'What the tests should exercise; each becomes one question.',
  spec: 'Spec file of this unit; overrides the one at the top level.',
  tests: 'Files that test the section.',
  accepted:
    'Flags that do not make the unit fail: texts of behaviors, contradicts_spec, thoroughness or weakest_area.',
  notes: 'Copied to the report.',
}

const configTexts: Readonly<
  Record<keyof typeof configShape.required | keyof typeof configShape.optional, string>
> = {
  units: 'What is judged, one call each.',
  description: 'Free text.',
  spec: 'Spec file of the units that set none. Paths start at the folder of this file.',
}

const properties = (
  fields: Readonly<Record<string, unknown>>,
  about: Readonly<Record<string, string>>,
): Schema =>
  Object.fromEntries(
    Object.entries(fields).map(([name, codec]) => [
      name,
      { description: about[name], ...schemas.get(codec) },
    ]),
  )

const unit: Schema = {
  type: 'object',
  required: Object.keys(unitShape.required),
  properties: properties({ ...unitShape.required, ...unitShape.optional }, unitTexts),
}

/**
 * The JSON Schema of `svc-review.json`, made from the codec's own fields. What it cannot say
 * (unique names, what `accepted` may hold) the codec checks alone.
 */
export const reviewSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of svc review',
  type: 'object',
  required: Object.keys(configShape.required),
  properties: {
    ...properties(configShape.optional, configTexts),
    units: { description: configTexts.units, type: 'array', minItems: 1, items: unit },
  },
  anyOf: [
    { required: ['spec'], properties: { spec: { minLength: 1 } } },
    {
      properties: {
        units: { items: { required: ['spec'], properties: { spec: { minLength: 1 } } } },
      },
    },
  ],
}
