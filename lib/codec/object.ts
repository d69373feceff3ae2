import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import type { Draft } from '../json/draft'
import { type Json, kindOf, type Member, members } from '../json/json'
import { type Codec, requiredMessage } from './combinators'
import { faultAt, refuse, within } from './fault'

/** One codec for each member of `A`. */
export type Fields<A> = { readonly [K in keyof A]: Codec<A[K]> }

/** The members of an object with fixed names. */
export interface Shape<R, O> {
  /** Must be there and not null. */
  readonly required: Fields<R>
  /** May be absent; null counts as absent. */
  readonly optional: Fields<O>
  /** Whether members of other names are faults. */
  readonly unknown: 'refuse' | 'ignore'
}

type Simplify<A> = { readonly [K in keyof A]: A[K] }

/** What an object of a shape decodes to. */
export type Shaped<R, O> = Simplify<R & Partial<O>>

const fieldsOf = <A>(fields: Fields<A>): ReadonlyArray<readonly [string, Codec<unknown>]> =>
  Object.entries(fields)

/**
 * An object with fixed names. Faults come in this order: unknown members as they stand in the
 * document, then the required members and the optional ones as declared.
 */
export const object = <R extends object, O extends object>(
  name: string,
  shape: Shape<R, O>,
): Codec<Shaped<R, O>> => {
  const required = fieldsOf(shape.required)
  const optional = fieldsOf(shape.optional)
  const known = new Set([...required, ...optional].map(([key]) => key))

  const validate = (value: Json, context: t.Context): t.Validation<Shaped<R, O>> => {
    if (kindOf(value) !== 'object')
      return refuse(value, context, 'object_type', 'must be an object')
    const list = members(value)
    const errors: t.Errors = shape.unknown === 'refuse' ? unknownMembers(list, context) : []
    const decoded: Record<string, unknown> = {}
    const field = (key: string, codec: Codec<unknown>, missing: boolean): void => {
      const found = list.find((one) => one.key === key)?.value
      const here = within(context, key, codec, found)
      if (found !== undefined && kindOf(found) !== 'null') {
        const result = codec.validate(found, here)
        if (E.isLeft(result)) for (const error of result.left) errors.push(error)
        else decoded[key] = result.right
      } else if (missing) errors.push(faultAt(found, here, 'missing', requiredMessage))
    }
    for (const [key, codec] of required) field(key, codec, true)
    for (const [key, codec] of optional) field(key, codec, false)
    return errors.length > 0 ? E.left(errors) : t.success(decoded as Shaped<R, O>)
  }

  const unknownMembers = (list: ReadonlyArray<Member>, context: t.Context): t.Errors =>
    list
      .filter(({ key }) => !known.has(key))
      .map(({ key, value }) =>
        faultAt(
          value,
          within(context, key, codec, value),
          'unknown_field',
          `unknown field "${key}"`,
        ),
      )

  const is = (value: unknown): value is Shaped<R, O> => {
    if (typeof value !== 'object' || value === null) return false
    const at = (key: string): unknown => (value as Record<string, unknown>)[key]
    return (
      required.every(([key, codec]) => codec.is(at(key))) &&
      optional.every(([key, codec]) => at(key) === undefined || codec.is(at(key)))
    )
  }

  const encode = (value: Shaped<R, O>): Draft => {
    const source = value as Record<string, unknown>
    const draft: Record<string, Draft> = {}
    for (const [key, codec] of [...required, ...optional])
      if (source[key] !== undefined) draft[key] = codec.encode(source[key])
    return draft
  }

  const codec: Codec<Shaped<R, O>> = new t.Type(name, is, validate, encode)
  return codec
}
