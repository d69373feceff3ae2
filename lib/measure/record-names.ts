import { plainText } from '../codec/json/draft'
import type { RunRecord } from '../runs/record/decode'

/** Returns the id of a record as text: a string unchanged, another value as JSON. */
export const idOf = ({ id }: RunRecord): string | undefined =>
  id === undefined ? undefined : plainText(id)

/** Returns the group of a record as text: a string unchanged, another value as JSON. */
export const groupOf = ({ group }: RunRecord): string | undefined =>
  group === undefined ? undefined : plainText(group)

/** Numbers texts from 0 on, in the order of their first appearance. */
export class NameNumbers {
  private readonly places = new Map<string, number>()
  readonly list: string[] = []

  numberOf(name: string): number {
    const known = this.places.get(name)
    if (known !== undefined) return known
    this.places.set(name, this.list.length)
    return this.list.push(name) - 1
  }
}
