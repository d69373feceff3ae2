import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { isRepetition, weightOf } from './labelled-record'

/**
 * Counts of the rows that `svc sample` drew from a run for labelling. Drawn rows have a member `p`: the probability with which they
 * were drawn.
 */
export interface SampleCounts {
  readonly answeredRows: number
  readonly sampledRows: number
  /** The number of rows that the drawn rows represent: Σ 1/p. */
  readonly representedRows: number
}

/**
 * The rows of one sample represent about as many rows as the run has answered ones, but not exactly: a small sample can represent
 * some more by chance. Two samples represent twice as many, so the limit is between 1 and 2.
 */
const maxRepresentedRatio = 1.25

/** Creates a counter of drawn rows. Repetitions of a row are not counted. */
export const createSampleCounter = () => {
  let answeredRows = 0
  let sampledRows = 0
  let representedRows = 0
  return {
    add: (record: RunRecord): void => {
      if (isRepetition(record) || !isAnswered(record.outcome)) return
      answeredRows++
      if (record.p === undefined || record.p === null) return
      sampledRows++
      representedRows += weightOf(record)
    },
    finish: (): SampleCounts => ({ answeredRows, sampledRows, representedRows }),
  }
}

/**
 * Explains that rows come from several samples; `undefined` if they come from one. A run of only drawn rows has no fault:
 * its `p` are about the larger run that it was drawn from.
 */
export const explainSeveralSamples = (counts: SampleCounts): string | undefined => {
  const { answeredRows, sampledRows, representedRows } = counts
  if (sampledRows === answeredRows || !sampleExceedsRun(counts)) return undefined
  const comparison = `the ${sampledRows} drawn rows represent ${Math.round(representedRows)} rows, but only ${answeredRows} rows were answered`
  const advice =
    'draw once with a larger -n, and pass the labels that you have to svc sample --labels'
  return `its rows come from more than one draw: by their "p", ${comparison}; ${advice}`
}

/** Returns `true` if the drawn rows represent more rows than one sample of the answered rows can. */
export const sampleExceedsRun = ({ answeredRows, representedRows }: SampleCounts): boolean =>
  representedRows > maxRepresentedRatio * answeredRows
