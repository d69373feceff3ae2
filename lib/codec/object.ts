import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { cutTo } from '../failure/text/sanitize'
import {
  createDecoder,
  type Decoded,
  type Decoder,
  json,
  maxFaults,
  nonEmpty,
  string,
} from './combinators'
import { contextOf, faultAt, maxNameBytes, rejectValue, requiredMessage } from './fault'
import { dropNull, isObject, type JsonObject } from './json/json'

/** The members of an object, by name. */
export type Members = Readonly<Record<string, Decoder<unknown>>>

/** The decoded value of an object: the required members `R`, and those optional members `O` that are present. */
export type DecodedObject<R extends Members, O extends Members> = {
  readonly [Name in keyof R]: Decoded<R[Name]>
} & { readonly [Name in keyof O]?: Decoded<O[Name]> | undefined }

/** Creates a decoder of a JSON object. Optional members may be absent or null. Members with other names are ignored. */
export const object = <R extends Members, O extends Members>(required: R, optional: O) =>
  createObjectDecoder(required, optional, false)

/** Creates a decoder like `object` that refuses members with other names. It reports these faults first. */
export const strictObject = <R extends Members, O extends Members>(required: R, optional: O) =>
  createObjectDecoder(required, optional, true)

/** Lists errors for the members whose names are not in `names`, at most `maxFaults`. */
const listUnknownMembers = (
  object: JsonObject,
  names: ReadonlySet<string>,
  context: t.Context,
): t.Errors => {
  const errors: t.Errors = []
  for (const [key, value] of object) {
    if (errors.length === maxFaults) break
    if (names.has(key)) continue
    const message = `unknown field "${cutTo(key, maxNameBytes)}"`
    errors.push(faultAt(value, contextOf(context, key, json, value), 'unknown_field', message))
  }
  return errors
}

const createObjectDecoder = <R extends Members, O extends Members>(
  required: R,
  optional: O,
  isStrict: boolean,
): Decoder<DecodedObject<R, O>> => {
  const decoders = Object.entries<Decoder<unknown>>({ ...required, ...optional })
  const names = new Set(decoders.map(([name]) => name))
  const isRequired = (name: string): boolean => Object.hasOwn(required, name)
  return createDecoder('an object', (value, context) => {
    if (!isObject(value)) return rejectValue(value, context, 'object_type', 'must be an object')
    const unknownErrors = isStrict ? listUnknownMembers(value, names, context) : []
    const { members, errors } = decodeMembers(value, decoders, isRequired, context)
    if (unknownErrors.length > 0 || errors.length > 0) return E.left([...unknownErrors, ...errors])
    return t.success(members as DecodedObject<R, O>)
  })
}

/** Decodes the members that are present or required. Lists errors in the order of the decoders. */
const decodeMembers = (
  value: JsonObject,
  decoders: ReadonlyArray<readonly [name: string, decoder: Decoder<unknown>]>,
  isRequired: (name: string) => boolean,
  context: t.Context,
): { readonly members: Record<string, unknown>; readonly errors: t.Errors } => {
  const members: Record<string, unknown> = {}
  const errors: t.Errors = []
  for (const [name, decoder] of decoders) {
    const member = dropNull(value.get(name))
    if (member === undefined && !isRequired(name)) continue
    const decoded = decoder.validate(member, contextOf(context, name, decoder, member))
    if (E.isRight(decoded)) members[name] = decoded.right
    else for (const error of decoded.left) errors.push(error)
  }
  return { members, errors }
}

/** Returns the errors of a failed decode, or an empty list. */
export const errorsOf = (decoded: t.Validation<unknown>): t.Errors =>
  E.isLeft(decoded) ? decoded.left : []

/** A decoder of the member `type` of a question or answer. */
export const typedObject = object({ type: nonEmpty(string, requiredMessage) }, {})

/**
 * Creates a decoder of objects. The member `type` selects one of the decoders. For any other type, `decodeOther` returns the
 * result. `message` is the message for a value that is not an object.
 */
export const typedUnion = <D extends Members, O>(
  decoders: D,
  decodeOther: (type: string, object: JsonObject) => O,
  message = 'must be an object',
): Decoder<Decoded<D[keyof D]> | O> =>
  createDecoder('an object with a type', (value, context) => {
    if (!isObject(value)) return rejectValue(value, context, 'object_type', message)
    const decodedType = typedObject.validate(value, context)
    if (E.isLeft(decodedType)) return decodedType
    const { type } = decodedType.right
    const decoder = Object.hasOwn(decoders, type) ? decoders[type] : undefined
    return decoder === undefined
      ? t.success(decodeOther(type, value))
      : (decoder as Decoder<Decoded<D[keyof D]>>).validate(value, context)
  })
