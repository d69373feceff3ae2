import type { AttributeValue } from '@opentelemetry/api'
import * as t from 'io-ts'
import { withDefault } from '../codec/combinators'
import {
  bare,
  keyValueList,
  kind,
  list,
  map,
  refine,
  rejectPart,
  section,
  text,
  word,
} from './yaml-parts'

const isInt: t.Is<number> = (value): value is number => Number.isSafeInteger(value)

/** The types that a document may declare for an attribute, and how to recognise a value of each. */
const types = {
  string: t.string.is,
  bool: t.boolean.is,
  int: isInt,
  double: t.number.is,
  string_array: t.array(t.string).is,
  bool_array: t.array(t.boolean).is,
  int_array: (value: unknown) => Array.isArray(value) && value.every(isInt),
  double_array: t.array(t.number).is,
} as const

const typeNames = Object.keys(types) as ReadonlyArray<keyof typeof types>

const attribute = refine(
  section({ name: text, type: withDefault(word(...typeNames), 'string') }, { value: t.unknown }),
  ({ name, value, type }, context): t.Validation<readonly [string, AttributeValue | undefined]> => {
    if (value === undefined || types[type](value))
      return t.success([name, value as AttributeValue | undefined])
    const hint = type === 'string' ? ': quote it, or give its type' : ''
    const here = t.appendContext(context, 'value', t.unknown)
    return rejectPart(value, here, `must be of type ${type}${hint}`)
  },
)

const detector = kind({
  container: bare('container' as const),
  host: bare('host' as const),
  process: bare('process' as const),
  service: bare('service' as const),
})

/** A resource detector that svc supports. D34 */
export type Detector = t.TypeOf<typeof detector>

const detection = section(
  {
    attributes: section({ excluded: withDefault(list(text), []) }, { included: list(text) }),
    detectors: withDefault(list(detector), []),
  },
  {},
)

/**
 * Reads the `resource` of the declarative configuration, which describes the sender of the spans. Where
 * `attributes` and `attributes_list` have the same name, `attributes` wins. D34
 */
export const resource = map(
  section(
    {
      attributes: withDefault(list(attribute), []),
      attributes_list: withDefault(keyValueList, []),
      'detection/development': detection,
    },
    { schema_url: text },
  ),
  (read) => {
    const { attributes, detectors } = read['detection/development']
    const { included, excluded } = attributes
    return {
      /** The later of two equal names wins; `undefined` means no attribute. */
      attributes: Object.fromEntries<AttributeValue | undefined>([
        ...read.attributes_list,
        ...read.attributes,
      ]),
      detectors: [...new Set(detectors)],
      /** Whether a detected attribute of this name is kept. */
      keep: (name: string): boolean =>
        (included?.some((pattern) => matchesPattern(pattern, name)) ?? true) &&
        !excluded.some((pattern) => matchesPattern(pattern, name)),
      schemaUrl: read.schema_url,
    }
  },
)

/** The settings of the resource. */
export type ResourceSettings = t.TypeOf<typeof resource>

/**
 * Whether a name matches a pattern, in which `*` stands for any characters and `?` for one. After a mismatch
 * the last `*` takes in one character more and the comparison continues from there; earlier ones keep what they
 * matched. A regular expression would go back to every `*` in turn, which takes practically forever for a
 * hostile pattern.
 */
const matchesPattern = (pattern: string, name: string): boolean => {
  let at = 0
  let star = -1
  let tried = 0
  for (let place = 0; place < name.length; ) {
    if (pattern[at] === '*') {
      star = at
      tried = place
      at += 1
    } else if (pattern[at] === '?' || pattern[at] === name[place]) {
      at += 1
      place += 1
    } else if (star >= 0) {
      at = star + 1
      tried += 1
      place = tried
    } else return false
  }
  return [...pattern.slice(at)].every((character) => character === '*')
}
