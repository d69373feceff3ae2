import { items, type Json, kindOf, member, stringOf } from './json'

/** A member of an object; `undefined` where there is none, and where the value is no object. */
export const field = (json: Json | undefined, name: string): Json | undefined =>
  json !== undefined && kindOf(json) === 'object' ? member(json, name) : undefined

/** The values of an array; none where the value is no array. */
export const entriesOf = (json: Json | undefined): ReadonlyArray<Json> =>
  json !== undefined && kindOf(json) === 'array' ? items(json) : []

/** The text of a string; `undefined` where the value is no string. */
export const stringIn = (json: Json | undefined): string | undefined =>
  json !== undefined && kindOf(json) === 'string' ? stringOf(json) : undefined
