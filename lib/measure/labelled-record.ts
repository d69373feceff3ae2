import type { Label, RunRecord } from '../runs/record/decode'

/** A record of a run with the labels that count: those of a file if there is one, else its own. */
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

/** A record that keeps its own labels. */
export const keepLabels = (record: RunRecord): LabelledRecord => ({
  record,
  ownP: record.p,
  labelLine: record.line,
  again: noLabels,
})

/** What is wrong with rows that were only drawn as the least certain ones. */
export const nothingToSay =
  '"p" is null: the row was not drawn by chance, so nothing can be said of the run from it'
