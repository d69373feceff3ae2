import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { Json, kindOf } from '../json/json'

/** What is wrong with a value: the `type` of an entry in a service's fault list. D37 */
export type FaultType =
  | 'missing'
  | 'empty'
  | 'unknown_field'
  | 'string_type'
  | 'number_type'
  | 'integer_type'
  | 'object_type'
  | 'array_type'
  | 'content_type'
  | 'value'
  | 'too_short'
  | 'too_long'

/** Where in a document: member names and array indexes, outermost first. */
export type Loc = ReadonlyArray<string | number>

/** One thing wrong with a document. `message` never repeats the value. */
export interface Fault {
  readonly loc: Loc
  readonly type: FaultType
  readonly message: string
}

/** An io-ts error that also says what kind of fault it is. */
interface TypedError extends t.ValidationError {
  readonly fault: FaultType
}

/**
 * The context of a first pass that only finds out whether there is a fault: no places are kept
 * and the first fault ends it.
 */
const quick: t.Context = []

/** Whether a codec runs in that first pass. */
export const isQuick = (context: t.Context): boolean => context === quick

/** A codec's context for what lies one step further in. */
export const within = (
  context: t.Context,
  key: string,
  codec: t.Decoder<Json, unknown>,
  actual: Json | undefined,
): t.Context => (isQuick(context) ? context : t.appendContext(context, key, codec, actual))

/** Most faults that are listed of one document; a hostile one could have millions. */
export const mostFaults = 1000

/** Whether a codec has found as many faults as it needs to. */
export const enough = (errors: t.Errors, context: t.Context): boolean =>
  errors.length >= (isQuick(context) ? 1 : mostFaults)

/** Decodes a document; only one with faults is gone through with places. */
export const decode = <A>(codec: t.Decoder<Json, A>, document: Json): t.Validation<A> => {
  const first = codec.validate(document, quick)
  return E.isRight(first)
    ? first
    : codec.validate(document, [{ key: '', type: codec, actual: document }])
}

/** One fault at the place `context` stands for. */
export const faultAt = (
  value: unknown,
  context: t.Context,
  fault: FaultType,
  message: string,
): t.ValidationError => {
  const error: TypedError = { value, context, message, fault }
  return error
}

/** Fails with one fault at the place `context` stands for. */
export const refuse = <A>(
  value: unknown,
  context: t.Context,
  fault: FaultType,
  message: string,
): t.Validation<A> => E.left([faultAt(value, context, fault, message)])

/** The faults of a failed decode, in the order the codecs found them. */
export const faultsOf = (errors: t.Errors): ReadonlyArray<Fault> =>
  errors.map((error) => ({
    loc: locOf(error.context),
    type: 'fault' in error ? (error as TypedError).fault : 'value',
    message: error.message ?? `must be ${error.context.at(-1)?.type.name ?? 'something else'}`,
  }))

/** An index is a key below an array; the root entry has no key. */
const locOf = (context: t.Context): Loc =>
  context.slice(1).map(({ key }, index) => {
    const parent = context[index]?.actual
    return parent instanceof Json && kindOf(parent) === 'array' ? Number(key) : key
  })
