import * as E from 'fp-ts/Either'
import type { AttributeValue, Detector, ResourceConfig } from './config'
import { pairs } from './pairs'
import {
  type Fault,
  fault,
  kind,
  list,
  nothing,
  or,
  type Reader,
  refine,
  required,
  section,
  text,
  word,
} from './reader'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isBool: Check = (value) => typeof value === 'boolean'
const isInt: Check = (value) => Number.isSafeInteger(value)
const isDouble: Check = (value) => typeof value === 'number'

const types = {
  string: isText,
  bool: isBool,
  int: isInt,
  double: isDouble,
  string_array: isText,
  bool_array: isBool,
  int_array: isInt,
  double_array: isDouble,
} as const

const typeNames = Object.keys(types) as ReadonlyArray<keyof typeof types>

const attribute = refine(
  section({
    name: required(text),
    value: (value): E.Either<Fault, unknown> => E.right(value),
    type: or(word(...typeNames), 'string' as const),
  }),
  ({ name, value, type }, path): E.Either<Fault, readonly [string, AttributeValue] | undefined> => {
    if (value === undefined || value === null) return E.right(undefined)
    const fits = type.endsWith('_array')
      ? Array.isArray(value) && value.every(types[type])
      : types[type](value)
    if (fits) return E.right([name, value as AttributeValue])
    const hint = type === 'string' ? ': quote it, or give its type' : ''
    return fault(`${path}.value`, `must be of type ${type}${hint}`)
  },
)

const detection = section({
  attributes: section({ included: or(list(text), undefined), excluded: or(list(text), []) }),
  detectors: or(
    list(
      kind({
        container: nothing<Detector>('container'),
        host: nothing<Detector>('host'),
        process: nothing<Detector>('process'),
        service: nothing<Detector>('service'),
      }),
    ),
    [],
  ),
})

/** `resource` of the declarative configuration. `attributes` go before `attributes_list`. D34 */
export const resource: Reader<ResourceConfig> = refine(
  section({
    attributes: or(list(attribute), []),
    attributes_list: or(refine(text, pairs), []),
    'detection/development': detection,
    schema_url: or(text, undefined),
  }),
  (read) => {
    const { included, excluded } = read['detection/development'].attributes
    return E.right({
      attributes: [...read.attributes_list, ...read.attributes.flatMap((a) => (a ? [a] : []))],
      detectors: [...new Set(read['detection/development'].detectors)],
      keep: (name: string) =>
        (included?.some((pattern) => fits(pattern, name)) ?? true) &&
        !excluded.some((pattern) => fits(pattern, name)),
      schemaUrl: read.schema_url,
    })
  },
)

/**
 * Whether a name is as a pattern says, in which `*` stands for any characters and `?` for one. Only the last
 * `*` is ever tried again: a regular expression would try every one of them.
 */
const fits = (pattern: string, name: string): boolean => {
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
