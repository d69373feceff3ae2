import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Json, kindOf, MemberCursor } from '../json/json'
import { cutTo } from '../text/cut'
import {
  createDecoder,
  type Decoded,
  type Decoder,
  isKind,
  json,
  mostFaults,
  nonEmpty,
  string,
} from './combinators'
import { faultAt, longestName, placeIn, rejectValue, requiredMessage } from './fault'

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

/** The faults of members whose names are not known. */
const faultsOfUnknown = (
  context: t.Context,
  others: ReadonlyMap<string, Json>,
): ReadonlyArray<t.ValidationError> =>
  Array.from(others, ([key, value]) => {
    const here = placeIn(context, key, json, value)
    return faultAt(value, here, 'unknown_field', `unknown field "${cutTo(key, longestName)}"`)
  })

const objectOf = <R extends Members, O extends Members>(
  required: R,
  optional: O,
  strict: boolean,
): Decoder<Shaped<R, O>> => {
  const decodeMembers = createMembersDecoder(required, optional)
  const names = [...Object.keys(required), ...Object.keys(optional)]
  return createDecoder('an object', (value, context) => {
    if (!isKind(value, 'object'))
      return rejectValue(value, context, 'object_type', 'must be an object')
    const others = strict ? new Map<string, Json>() : undefined
    const shaped = decodeMembers(readMembers(value, names, others), context)
    return others === undefined || others.size === 0
      ? shaped
      : E.left([...faultsOfUnknown(context, others), ...errorsOf(shaped)])
  })
}

/**
 * Reads the members of an object that have one of these names. A member that is null is left out. Members with other
 * names are collected in `others`, if given, up to two thousand of them.
 */
const readMembers = (
  object: Json,
  names: ReadonlyArray<string>,
  others: Map<string, Json> | undefined,
): Readonly<Record<string, unknown>> => {
  const given: Record<string, unknown> = {}
  const member = new MemberCursor(object)
  while (member.next()) {
    const key = member.findName(names)
    if (key !== undefined) {
      const { value } = member
      given[key] = kindOf(value) === 'null' ? undefined : value
    } else if (others !== undefined && others.size < mostFaults)
      others.set(member.key, member.value)
  }
  return given
}

/**
 * Creates the decoder of an object's members. Only optional ones may be absent. io-ts's own intersection of `t.type` and
 * `t.partial` does the same, but it adds a step to the place of every fault.
 */
export const createMembersDecoder = <R extends Members, O extends Members>(
  required: R,
  optional: O,
): t.Validate<Readonly<Record<string, unknown>>, Shaped<R, O>> => {
  const decoders = Object.entries<Decoder<unknown>>({ ...required, ...optional })
  const mayBeAbsent = new Set(Object.keys(optional))
  return (given, context) => {
    const members: Record<string, unknown> = {}
    const errors: t.Errors = []
    for (const [key, decoder] of decoders) {
      const one = given[key]
      if (one === undefined && mayBeAbsent.has(key)) continue
      const read = decoder.validate(one, placeIn(context, key, decoder, one))
      if (E.isRight(read)) members[key] = read.right
      else for (const error of read.left) errors.push(error)
    }
    return errors.length > 0 ? E.left(errors) : t.success(members as Shaped<R, O>)
  }
}

/** The errors of a decode; an empty list where it succeeded. */
export const errorsOf = (decoded: t.Validation<unknown>): t.Errors =>
  E.isLeft(decoded) ? decoded.left : []

/** A decoder of the `type` of a question or answer, which decides how its other members are read. */
export const typed = object({ type: nonEmpty(string, requiredMessage) }, {})
