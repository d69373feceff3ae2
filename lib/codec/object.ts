import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { cutTo } from '../failure/text/cut'
import {
  createDecoder,
  type Decoded,
  type Decoder,
  json,
  maxFaults,
  nonEmpty,
  string,
} from './combinators'
import { faultAt, maxNameBytes, placeIn, rejectValue, requiredMessage } from './fault'
import { dropNull, isObject, type JsonObject, type JsonValue } from './json/json'

/** The members of an object, by name. */
export type Members = Readonly<Record<string, Decoder<unknown>>>

/** The decoded value of an object: all members in `R`, and those members in `O` that are there. */
export type Shaped<R extends Members, O extends Members> = {
  readonly [Name in keyof R]: Decoded<R[Name]>
} & { readonly [Name in keyof O]?: Decoded<O[Name]> | undefined }

/**
 * Creates a decoder of a JSON object with fixed names. Optional members may be absent, and null counts as absent.
 * Members with other names are ignored.
 */
export const object = <R extends Members, O extends Members>(required: R, optional: O) =>
  objectOf(required, optional, false)

/**
 * Creates a decoder like `object`, for which a member with another name is a fault. Such faults come before those of the
 * known members.
 */
export const strictObject = <R extends Members, O extends Members>(required: R, optional: O) =>
  objectOf(required, optional, true)

const noOthers: JsonObject = new Map()

/** The members whose names are not known; of thousands only the first ones. */
const findOthers = (object: JsonObject, names: ReadonlyArray<string>): JsonObject => {
  const known = new Set(names)
  const others = new Map<string, JsonValue>()
  for (const [key, value] of object) {
    if (others.size === maxFaults) break
    if (!known.has(key)) others.set(key, value)
  }
  return others
}

/** The faults of members whose names are not known. */
const faultsOfUnknown = (
  context: t.Context,
  others: JsonObject,
): ReadonlyArray<t.ValidationError> =>
  Array.from(others, ([key, value]) => {
    const here = placeIn(context, key, json, value)
    return faultAt(value, here, 'unknown_field', `unknown field "${cutTo(key, maxNameBytes)}"`)
  })

const objectOf = <R extends Members, O extends Members>(
  required: R,
  optional: O,
  strict: boolean,
): Decoder<Shaped<R, O>> => {
  const decodeMembers = createMembersDecoder(required, optional)
  const names = [...Object.keys(required), ...Object.keys(optional)]
  return createDecoder('an object', (value, context) => {
    if (!isObject(value)) return rejectValue(value, context, 'object_type', 'must be an object')
    const given = names.map((name) => dropNull(value.get(name)))
    const others = strict ? findOthers(value, names) : noOthers
    const shaped = decodeMembers(given, context)
    return others.size === 0
      ? shaped
      : E.left([...faultsOfUnknown(context, others), ...errorsOf(shaped)])
  })
}

/**
 * Creates the decoder of an object's members, which are given in the order of their names here. Only optional ones may
 * be absent. io-ts's own intersection of `t.type` and `t.partial` does the same, but it adds a step to the place of
 * every fault.
 */
export const createMembersDecoder = <R extends Members, O extends Members>(
  required: R,
  optional: O,
): t.Validate<ReadonlyArray<unknown>, Shaped<R, O>> => {
  const decoders = Object.entries<Decoder<unknown>>({ ...required, ...optional })
  const minMembers = Object.keys(required).length
  return (given, context) => {
    const members: Record<string, unknown> = {}
    const errors: t.Errors = []
    for (const [at, [key, decoder]] of decoders.entries()) {
      const one = given[at]
      if (one === undefined && at >= minMembers) continue
      const read = decoder.validate(one, placeIn(context, key, decoder, one))
      if (E.isRight(read)) members[key] = read.right
      else for (const error of read.left) errors.push(error)
    }
    return errors.length > 0 ? E.left(errors) : t.success(members as Shaped<R, O>)
  }
}

/** The errors of a decode; an empty list if it succeeded. */
export const errorsOf = (decoded: t.Validation<unknown>): t.Errors =>
  E.isLeft(decoded) ? decoded.left : []

/** A decoder of the `type` of a question or answer, which decides how its other members are read. */
export const typed = object({ type: nonEmpty(string, requiredMessage) }, {})
