import * as E from 'fp-ts/Either'
import type * as t from 'io-ts'
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
