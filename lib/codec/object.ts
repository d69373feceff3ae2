import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { cutWithEllipsis } from '../text/sanitize'
import {
  createDecoder,
  type Decoded,
  type Decoder,
  json,
  maxFaults,
  nonEmpty,
  string,
} from './combinators'
import { contextOf, createTypedError, maxNameBytes, rejectValue, requiredMessage } from './fault'
import { dropNull, isObject, type JsonObject } from './json/json'

/** The decoders of the members of an object, by name. */
export type MemberDecoders = Readonly<Record<string, Decoder<unknown>>>

/** The decoded value of an object: the required members `R`, and those optional members `O` that are present. */
export type DecodedObject<R extends MemberDecoders, O extends MemberDecoders> = {
  readonly [Name in keyof R]: Decoded<R[Name]>
} & { readonly [Name in keyof O]?: Decoded<O[Name]> | undefined }

/**
 * Creates a decoder of a JSON object. Required members must be present and not null. Optional members may be absent or null. Members
 * with other names are ignored.
 */
export const object = <R extends MemberDecoders, O extends MemberDecoders>(
  required: R,
  optional: O,
) => createObjectDecoder(required, optional, false)

/** Creates a decoder like `object` that refuses members with other names. Their errors come first. */
export const strictObject = <R extends MemberDecoders, O extends MemberDecoders>(
  required: R,
  optional: O,
) => createObjectDecoder(required, optional, true)

const createObjectDecoder = <R extends MemberDecoders, O extends MemberDecoders>(
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

/** Lists errors about the members whose names are not in `names`, at most `maxFaults`. */
const listUnknownMembers = (
  value: JsonObject,
  names: ReadonlySet<string>,
  context: t.Context,
): t.Errors => {
  const errors: t.Errors = []
  for (const [name, member] of value) {
    if (errors.length === maxFaults) break
    if (names.has(name)) continue
    const message = `unknown field "${cutWithEllipsis(name, maxNameBytes)}"`
    errors.push(
      createTypedError(member, contextOf(context, name, json, member), 'unknown_field', message),
    )
  }
  return errors
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

/** A decoder of the `type` of a question or answer. It ignores all other members. */
export const objectWithType = object({ type: nonEmpty(string, requiredMessage) }, {})

/**
 * Creates a decoder of objects that chooses one of the decoders by the member `type`. For any other type, `decodeOther` returns the
 * result. `message` is the message about a value that is not an object.
 */
export const unionByType = <D extends MemberDecoders, O>(
  decoders: D,
  decodeOther: (type: string, object: JsonObject) => O,
  message = 'must be an object',
): Decoder<Decoded<D[keyof D]> | O> =>
  createDecoder('an object with a type', (value, context) => {
    if (!isObject(value)) return rejectValue(value, context, 'object_type', message)
    const decodedType = objectWithType.validate(value, context)
    if (E.isLeft(decodedType)) return decodedType
    const { type } = decodedType.right
    const decoder = Object.hasOwn(decoders, type) ? decoders[type] : undefined
    return decoder === undefined
      ? t.success(decodeOther(type, value))
      : (decoder as Decoder<Decoded<D[keyof D]>>).validate(value, context)
  })
