import { plainText } from '../codec/json/draft'
import type { JsonValue } from '../codec/json/json'
import type { RunRecord } from '../runs/record/decode'

/** Returns the id of a record as text: a string unchanged, any other value as JSON. */
export const idOf = ({ id }: RunRecord): string | undefined =>
  id === undefined ? undefined : nameOf(id)

/** The group of a record as text, in the same way. */
export const groupOf = ({ group }: RunRecord): string | undefined =>
  group === undefined ? undefined : nameOf(group)

const nameOf = (value: JsonValue): string => plainText(value)

/** Numbers texts from 0 on, in the order of their first appearance. */
export class Names {
  private readonly places = new Map<string, number>()
  readonly list: string[] = []

  placeOf(name: string): number {
    const known = this.places.get(name)
    if (known !== undefined) return known
    this.places.set(name, this.list.length)
    return this.list.push(name) - 1
  }
}
