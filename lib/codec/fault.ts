import * as E from 'fp-ts/Either'
import * as t from 'io-ts'

/** The kind of a fault: the `type` of an entry in the service's list of faults. */
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

/** The place of a value in a document: member names and array indexes, outermost first. */
export type Loc = ReadonlyArray<string | number>

/** A fault of a document. `message` never repeats the value, which may be a secret. */
export interface Fault {
  readonly loc: Loc
  readonly type: FaultType
  readonly message: string
}

/** An error of io-ts, with the kind of the fault. */
interface TypedError extends t.ValidationError {
  readonly fault: FaultType
}

/** Messages cut longer names from outside. */
export const maxNameBytes = 100

/** The message for a required member that is absent or null. */
export const requiredMessage = 'is required'

/** Creates an error at the place that `context` describes. An `undefined` value means that the member is absent. */
export const faultAt = (
  value: unknown,
  context: t.Context,
  fault: FaultType,
  message: string,
): t.ValidationError => {
  const error: TypedError =
    value === undefined
      ? { value, context, fault: 'missing', message: requiredMessage }
      : { value, context, fault, message }
  return error
}

/** The context of a check that only asks whether there is a fault: it builds no places, which take longer than the check. */
export const nowhere: t.Context = []

/** The context of a member or element of what stands at `context`. */
export const placeIn = (
  context: t.Context,
  key: string,
  decoder: t.Decoder<unknown, unknown>,
  value: unknown,
): t.Context => (context === nowhere ? nowhere : t.appendContext(context, key, decoder, value))

/** Fails with an error at the place that `context` describes. */
export const rejectValue = <A>(...error: Parameters<typeof faultAt>): t.Validation<A> =>
  E.left([faultAt(...error)])

/** Turns the errors of a failed decode into faults, in the order in which the codecs found them. */
export const faultsOf = (errors: t.Errors): ReadonlyArray<Fault> =>
  errors.map((error) => ({
    loc: locOf(error.context),
    type: 'fault' in error ? (error as TypedError).fault : 'value',
    message: error.message ?? 'is invalid',
  }))

/** The first fault of a failed decode, which is the one that messages report. */
export const firstFault = (errors: t.Errors): Fault =>
  faultsOf(errors)[0] ?? { loc: [], type: 'value', message: 'is invalid' }

/**
 * The place that a context describes. The first entry of a context is the whole document, and a key below an
 * array is an index.
 */
export const locOf = (context: t.Context): Loc =>
  context
    .slice(1)
    .map(({ key }, index) => (Array.isArray(context[index]?.actual) ? Number(key) : key))

/** Writes a place as text: `questions.q.criteria[1]`. The whole document is `''`. */
export const formatLoc = (loc: Loc): string =>
  loc.reduce<string>(
    (path, part, index) =>
      typeof part === 'number' ? `${path}[${part}]` : index === 0 ? part : `${path}.${part}`,
    '',
  )

/**
 * Compares texts by code point, which is the order of their UTF-8 bytes. JavaScript's own comparison differs,
 * since it compares UTF-16 units. Faults are reported in this order in every locale.
 */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates encode code points above those of all other UTF-16 units, so they sort last. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
