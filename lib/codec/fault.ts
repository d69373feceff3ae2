import * as E from 'fp-ts/Either'
import * as t from 'io-ts'

/** The kind of a fault. `svc serve` returns it as `type` of an entry in its list of faults. */
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

/** The path to a value in a document: member names and array indexes, outermost first. */
export type Loc = ReadonlyArray<string | number>

/** A fault of a document. `message` never repeats the value, which may be a secret. */
export interface Fault {
  readonly loc: Loc
  readonly type: FaultType
  readonly message: string
}

/** An error of io-ts, to which svc adds the kind of the fault. */
interface TypedError extends t.ValidationError {
  readonly faultType: FaultType
}

/** The maximum size of a name from input in a message. A longer name is cut. */
export const maxNameBytes = 100

/** The message for a required member that is absent or null. */
export const requiredMessage = 'is required'

/** Creates an error about the value at `context`. If the value is `undefined`, the error is that it is missing instead. */
export const createTypedError = (
  value: unknown,
  context: t.Context,
  faultType: FaultType,
  message: string,
): t.ValidationError => {
  const error: TypedError =
    value === undefined
      ? { value, context, faultType: 'missing', message: requiredMessage }
      : { value, context, faultType, message }
  return error
}

/** The context for a decode whose errors are not used. To save time, `contextOf` does not extend it. */
export const noContext: t.Context = []

/** Returns the context of a member or element. `context` is that of its object or array. */
export const contextOf = (
  context: t.Context,
  key: string,
  decoder: t.Decoder<unknown, unknown>,
  value: unknown,
): t.Context => (context === noContext ? noContext : t.appendContext(context, key, decoder, value))

/** Fails with the error of `createTypedError`. */
export const rejectValue = <A>(
  value: unknown,
  context: t.Context,
  faultType: FaultType,
  message: string,
): t.Validation<A> => E.left([createTypedError(value, context, faultType, message)])

/** Converts the errors of a failed decode to faults, in their order. */
export const faultsOf = (errors: t.Errors): ReadonlyArray<Fault> =>
  errors.map((error) => ({
    loc: locOf(error.context),
    type: 'faultType' in error ? (error as TypedError).faultType : 'value',
    message: error.message ?? 'is invalid',
  }))

/** Returns the first fault of a failed decode. Messages report only this one. */
export const firstFault = (errors: t.Errors): Fault => {
  const [fault] = faultsOf(errors.slice(0, 1))
  // A failed decode has at least one error.
  return fault as Fault
}

/** Returns the path of a context. The first entry of a context is the document itself. A key in an array is an index. */
const locOf = (context: t.Context): Loc =>
  context.slice(1).map(({ key }, index) => {
    // `slice` has removed one entry, so the entry at `index` is the one before: the array or object with this key.
    const parent = context[index]?.actual
    return Array.isArray(parent) ? Number(key) : key
  })

/** Formats a path: `questions.q.criteria[1]`. The path of the whole document is `''`. */
export const formatLoc = (loc: Loc): string =>
  loc
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      return index === 0 ? part : `.${part}`
    })
    .join('')

/** Compares texts by code point, which is the order of their UTF-8 bytes. JavaScript compares UTF-16 units instead. */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rankCodeUnit(left) - rankCodeUnit(right)
  }
  return a.length - b.length
}

/** Returns the rank of a UTF-16 unit. Surrogates rank after all other units, because they encode the code points above U+FFFF. */
const rankCodeUnit = (unit: number): number =>
  unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
