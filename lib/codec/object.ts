import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import type { Draft } from '../json/draft'
import { type Json, kindOf, MemberCursor } from '../json/json'
import { cutTo } from '../text/cut'
import { anyObject, type Codec, json, mostFaults, nonEmpty, string } from './combinators'
import { faultAt, longestName, placeIn, rejectValue, requiredMessage } from './fault'

/** The decoded value of an object: all members in `R`, and those members in `O` that are there. */
type Shaped<R extends t.Props, O extends t.Props> = t.TypeOf<t.TypeC<R>> & t.TypeOf<t.PartialC<O>>

/**
 * Creates a codec for a JSON object with fixed names. Optional members may be absent, and null counts as absent.
 * Members with other names are ignored.
 */
export const object = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  objectOf(required, optional, false)

/**
 * Creates a codec like `object`, for which a member with another name is a fault. Such faults come before those of the
 * known members.
 */
export const strictObject = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
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

const objectOf = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
  strict: boolean,
): Codec<Shaped<R, O>> => {
  const inside = fieldsCodec(required, optional)
  const names = [...Object.keys(required), ...Object.keys(optional)]
  return new t.Type(
    'an object',
    inside.is,
    (value, context) => {
      if (!anyObject.is(value))
        return rejectValue(value, context, 'object_type', 'must be an object')
      const others = strict ? new Map<string, Json>() : undefined
      const shaped = inside.validate(readFields(value, names, others), context)
      return others === undefined || others.size === 0
        ? shaped
        : E.left([...faultsOfUnknown(context, others), ...errorsOf(shaped)])
    },
    inside.encode,
  )
}

/**
 * Reads the members of an object that have one of these names. A member that is null is left out. Members with other
 * names are collected in `others`, if given, up to two thousand of them.
 */
export const readFields = (
  object: Json,
  names: ReadonlyArray<string>,
  others?: Map<string, Json>,
): Readonly<Record<string, Json | undefined>> => {
  const given: Record<string, Json | undefined> = {}
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
 * Creates a codec for the members that `readFields` returns. Only optional members may be absent. io-ts's own
 * intersection of `t.type` and `t.partial` does the same, but it adds a step to the place of every fault.
 */
export const fieldsCodec = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
): t.Type<Shaped<R, O>, Readonly<Record<string, Draft>>, unknown> => {
  const codecs = Object.entries<t.Mixed>({ ...required, ...optional })
  const mayBeAbsent = new Set(Object.keys(optional))
  return new t.Type(
    'a record',
    (value): value is Shaped<R, O> =>
      value instanceof Object &&
      codecs.every(([key, codec]) => {
        const one = (value as Readonly<Record<string, unknown>>)[key]
        return codec.is(one) || (one === undefined && mayBeAbsent.has(key))
      }),
    (value, context) => {
      const given = value as Readonly<Record<string, unknown>>
      const fields: Record<string, unknown> = {}
      const errors: t.Errors = []
      for (const [key, codec] of codecs) {
        const one = given[key]
        if (one === undefined && mayBeAbsent.has(key)) continue
        const read = codec.validate(one, placeIn(context, key, codec, one))
        if (E.isRight(read)) fields[key] = read.right
        else for (const error of read.left) errors.push(error)
      }
      return errors.length > 0 ? E.left(errors) : t.success(fields as Shaped<R, O>)
    },
    (value) =>
      Object.fromEntries(
        codecs.flatMap(([key, codec]) =>
          value[key] === undefined ? [] : [[key, codec.encode(value[key])]],
        ),
      ),
  )
}

/** The errors of a decode; an empty list where it succeeded. */
export const errorsOf = (decoded: t.Validation<unknown>): t.Errors =>
  E.isLeft(decoded) ? decoded.left : []

const type = nonEmpty(string, requiredMessage)

/** A codec for the `type` of a question, which decides how its other members are read. */
export const typed = object({ type }, {})

/** A codec for the `type` among the members of an answer that `readFields` returned. */
export const typedFields = fieldsCodec({ type }, {})
