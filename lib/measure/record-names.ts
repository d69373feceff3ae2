import { plainText } from '../codec/json/draft'
import type { RunRecord } from '../runs/record/decode'

/** Returns the id of a record as text: a string unchanged, another value as JSON. */
export const idOf = ({ id }: RunRecord): string | undefined =>
  id === undefined ? undefined : plainText(id)

/** Returns the group of a record as text: a string unchanged, another value as JSON. */
export const groupOf = ({ group }: RunRecord): string | undefined =>
  group === undefined ? undefined : plainText(group)

/** Assigns an index to each name, from 0 in the order of first appearance. Arrays of indexes take less memory than names. */
export class NameIndexes {
  private readonly indexes = new Map<string, number>()
  /** The names by index. */
  readonly names: string[] = []

  /** Returns the index of a name. Adds the name if it is new. */
  indexOf(name: string): number {
    const existingIndex = this.indexes.get(name)
    if (existingIndex !== undefined) return existingIndex
    const newIndex = this.names.length
    this.indexes.set(name, newIndex)
    this.names.push(name)
    return newIndex
  }
}
