import type { Label, RunRecord } from '../../runs/record/decode'

/**
 * A record of a run with the labels that count: those of the labels file if there is one, else those in the record.
 */
export interface LabelledRecord {
  readonly record: RunRecord
  /** The chance that the run itself gives; that of `record` may come from the file. */
  readonly ownP: RunRecord['p']
  /** The line of the labels, in the file or in the run. */
  readonly labelLine: number
  /** The labels that a person gave when the row was shown a second time. */
  readonly again: ReadonlyMap<string, Label>
}

/** No labels. */
export const noLabels: ReadonlyMap<string, Label> = new Map()

/** Returns a record with the labels that it contains. */
export const keepLabels = (record: RunRecord): LabelledRecord => ({
  record,
  ownP: record.p,
  labelLine: record.line,
  again: noLabels,
})

/** The fault of rows that were drawn only as the least certain ones. */
export const notDrawnByChance =
  '"p" is null: the row was not drawn by chance, so nothing can be said of the run from it'
