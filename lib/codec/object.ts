import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import type { Draft } from '../json/draft'
import { eachMember, type Json, kindOf } from '../json/json'
import { cutTo } from '../text/cut'
import { anyObject, type Codec, json, mostFaults, nonEmpty, string } from './combinators'
import { faultAt, longestName, refuse, requiredMessage } from './fault'

/** What an object with these members decodes to. */
type Shaped<R extends t.Props, O extends t.Props> = t.TypeOf<t.TypeC<R>> & t.TypeOf<t.PartialC<O>>

/**
 * A JSON object whose names are fixed in the program. An optional member may be absent, or null, which counts
 * as absent. Members of other names are ignored.
 */
export const object = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  objectOf(required, optional, false)

/** An `object` in which a member of any other name is a fault; such faults come first. */
export const strictObject = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  objectOf(required, optional, true)

const unknownIn = (
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
  const inside = shape(required, optional)
  const names = new Set([...Object.keys(required), ...Object.keys(optional)])
  return new t.Type(
    'an object',
    inside.is,
    (value, context) => {
      if (!anyObject.is(value)) return refuse(value, context, 'object_type', 'must be an object')
      const others = strict ? new Map<string, Json>() : undefined
      const shaped = inside.validate(fieldsOf(value, names, others), context)
      return others === undefined || others.size === 0
        ? shaped
        : E.left([...unknownIn(context, others), ...errorsOf(shaped)])
    },
    inside.encode,
  )
}

/** The members of an object that have these names; null counts as absent. Those of other names go into `others`. */
export const fieldsOf = (
  object: Json,
  names: ReadonlySet<string>,
  others?: Map<string, Json>,
): Readonly<Record<string, Json | undefined>> => {
  const given: Record<string, Json | undefined> = {}
  eachMember(object, (key, value) => {
    if (names.has(key)) given[key] = kindOf(value) === 'null' ? undefined : value
    else others?.set(key, value)
  })
  return given
}

/**
 * A record with these members; an optional one may be absent. It is the intersection of `t.type` and
 * `t.partial`, without the step that io-ts's own intersection adds to the place of every fault.
 */
export const shape = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
): t.Type<Shaped<R, O>, Readonly<Record<string, Draft>>, unknown> => {
  const [whole, part] = [t.strict(required), t.exact(t.partial(optional))]
  const codecs = Object.entries<t.Mixed>({ ...required, ...optional })
  const mayBeAbsent = new Set(Object.keys(optional))
  return new t.Type(
    'a record',
    (value): value is Shaped<R, O> => whole.is(value) && part.is(value),
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

/** What is wrong with a value; nothing where it was decoded. */
export const errorsOf = (decoded: t.Validation<unknown>): t.Errors =>
  E.isLeft(decoded) ? decoded.left : []

const type = nonEmpty(string, requiredMessage)

/** What a question and an answer have in common: a `type` that says how to read the rest. */
export const typed = object({ type }, {})
/** The same among fields. */
export const typedFields = shape({ type }, {})
