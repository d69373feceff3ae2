import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import type { Draft } from '../json/draft'
import { type Json, kindOf, stringOf, visitMembers } from '../json/json'
import { cutTo } from '../text/cut'
import { anyObject, type Codec, json, mostFaults, nonEmpty, string } from './combinators'
import { faultAt, longestName, rejectValue, requiredMessage } from './fault'

/** The decoded form of an object with these members. */
type Shaped<R extends t.Props, O extends t.Props> = t.TypeOf<t.TypeC<R>> & t.TypeOf<t.PartialC<O>>

/**
 * A JSON object with fixed names. An optional member may be absent; null counts as absent. Other members are
 * ignored.
 */
export const object = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  objectOf(required, optional, false)

/** A JSON object with fixed names, in which any other member is a fault; such faults come first. */
export const strictObject = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  objectOf(required, optional, true)

const faultsOfUnknown = (
  context: t.Context,
  others: ReadonlyMap<string, Json>,
): ReadonlyArray<t.ValidationError> =>
  [...others].slice(0, mostFaults).map(([key, value]) => {
    const here = t.appendContext(context, key, json, value)
    return faultAt(value, here, 'unknown_field', `unknown field "${cutTo(key, longestName)}"`)
  })

const objectOf = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
  strict: boolean,
): Codec<Shaped<R, O>> => {
  const inside = fieldsCodec(required, optional)
  const names = new Set([...Object.keys(required), ...Object.keys(optional)])
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
 * Reads the members of an object that have these names; null counts as absent. Members with other names are
 * added to `others`.
 */
export const readFields = (
  object: Json,
  names: ReadonlySet<string>,
  others?: Map<string, Json>,
): Readonly<Record<string, Json | undefined>> => {
  const given: Record<string, Json | undefined> = {}
  visitMembers(object, (name, value) => {
    const key = stringOf(name)
    if (names.has(key)) given[key] = kindOf(value) === 'null' ? undefined : value
    else others?.set(key, value)
  })
  return given
}

/**
 * A codec for a record with these members, of which the optional ones may be absent. It does what io-ts's
 * intersection of `t.type` and `t.partial` would, except that the intersection adds a step to the place of
 * every fault.
 */
export const fieldsCodec = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
): t.Type<Shaped<R, O>, Readonly<Record<string, Draft>>, unknown> => {
  const codecs = Object.entries<t.Mixed>({ ...required, ...optional })
  const mayBeAbsent = new Set(Object.keys(optional))
  return new t.Type(
    'a record',
    (value): value is Shaped<R, O> => t.type(required).is(value) && t.partial(optional).is(value),
    (value, context) => {
      const given = value as Readonly<Record<string, unknown>>
      const fields: Record<string, unknown> = {}
      const errors: t.Errors = []
      for (const [key, codec] of codecs) {
        const one = given[key]
        if (one === undefined && mayBeAbsent.has(key)) continue
        const read = codec.validate(one, t.appendContext(context, key, codec, one))
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

/** The errors of a decode; none where it succeeded. */
export const errorsOf = (decoded: t.Validation<unknown>): t.Errors =>
  E.isLeft(decoded) ? decoded.left : []

const type = nonEmpty(string, requiredMessage)

/** An object with a `type`, which says how to read the rest: a question or an answer. */
export const typed = object({ type }, {})
/** The same for fields that have been read already. */
export const typedFields = fieldsCodec({ type }, {})
