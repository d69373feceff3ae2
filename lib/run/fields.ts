import { type Json, kindOf, numberOf, valuesOf } from '../json/json'

/** The members of an object by name, in the order of its text; `undefined` for anything else. */
export const fieldsOf = (value: Json | undefined): ReadonlyMap<string, Json> | undefined =>
  value && kindOf(value) === 'object' ? valuesOf(value) : undefined

/** The number that a value is, else `undefined`. */
export const numberIn = (value: Json | undefined): number | undefined =>
  value && kindOf(value) === 'number' ? numberOf(value) : undefined

/** The whole number from 0 on that a value is, else `undefined`. */
export const countIn = (value: Json | undefined): number | undefined => {
  const number = numberIn(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}
