import type { Label, RunRecord } from '../../runs/record/decode'

/** A record of a run with its labels: those of the label file if there is one, else those in the record. */
export interface LabelledRecord {
  readonly record: RunRecord
  /** The sampling probability `p` in the run. The `p` of `record` may come from the label file instead. */
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

/** The fault of a row whose `p` is null: it was selected because its answers are uncertain, not drawn at random. */
export const notDrawnByChance =
  '"p" is null: the row was not drawn by chance, so it cannot count in figures of the run'
