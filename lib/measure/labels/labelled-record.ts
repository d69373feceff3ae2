import { plainText } from '../../codec/json/draft'
import type { Label, RunRecord } from '../../runs/record/decode'

/** A record of a run with its labels: those of the label file if there is one, else those in the record. */
export interface LabelledRecord {
  readonly record: RunRecord
  /**
   * The `p` of the run: the probability with which the row was drawn. `svc sample` uses it, since the run may itself be a sample.
   * `record.p`, which gives the row its weight, may come from the label file instead.
   */
  readonly runP: RunRecord['p']
  /** The line number of the labels, in the label file or in the run. */
  readonly labelLine: number
  /** The labels that a person gave when the row was shown a second time. */
  readonly repeatLabels: ReadonlyMap<string, Label>
}

export const noLabels: ReadonlyMap<string, Label> = new Map()

/** Returns a record with the labels that it contains itself. */
export const withRecordLabels = (record: RunRecord): LabelledRecord => ({
  record,
  runP: record.p,
  labelLine: record.line,
  repeatLabels: noLabels,
})

/** Returns `true` for all records of a row but the first (`svc batch --repeat`). */
export const isRepetition = ({ repetition }: RunRecord): boolean =>
  repetition !== undefined && repetition > 0

/** Returns the id of a record as text: a string unchanged, another value as JSON. */
export const idOf = ({ id }: RunRecord): string | undefined =>
  id === undefined ? undefined : plainText(id)

/** Returns the group of a record as text: a string unchanged, another value as JSON. */
export const groupOf = ({ group }: Pick<RunRecord, 'group'>): string | undefined =>
  group === undefined ? undefined : plainText(group)

/** The fault of a row whose `p` is null: it was selected because its answers are uncertain, not drawn at random. */
export const notDrawnByChanceFault =
  '"p" is null: the row was not drawn by chance, so it cannot count in figures of the run'

/** Returns the number of rows that a row represents: 1/p, or 1 if it has no `p`. Callers refuse or skip a `p` of null before. */
export const weightOf = ({ p }: RunRecord): number => 1 / (p ?? 1)

/** Assigns an index to each group, from 0 in the order of first appearance. Arrays of indexes take less memory than names. */
export class GroupIndexes {
  private readonly indexes = new Map<string, number>()

  /** Returns the index of a record's group; −1 if the record has no group. Adds the group if it is new. */
  indexOf(record: RunRecord): number {
    const name = groupOf(record)
    if (name === undefined) return -1
    const index = this.indexes.get(name) ?? this.indexes.size
    this.indexes.set(name, index)
    return index
  }

  /** Returns the names of the groups by index. */
  names(): ReadonlyArray<string> {
    return [...this.indexes.keys()]
  }
}
