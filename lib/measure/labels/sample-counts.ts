import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'

/** Counts of the rows of a run that were drawn for labelling. */
export interface SampleCounts {
  /** The number of answered rows. */
  readonly answeredRows: number
  /** The number of answered rows that have a chance `p`. */
  readonly sampledRows: number
  /** The number of rows that the drawn rows represent: Σ 1/p. */
  readonly representedRows: number
}

/** The rows of one draw represent about as many rows as the run has. If they represent more than this ratio, there were several draws. */
const maxRepresentedRatio = 1.25

/** Counts the drawn rows while a run is read. */
export const createSampleCounter = () => {
  let answeredRows = 0
  let sampledRows = 0
  let representedRows = 0
  return {
    add: ({ run, outcome, p }: RunRecord): void => {
      if ((run ?? 0) > 0 || !isAnswered(outcome)) return
      answeredRows++
      if (p === undefined || p === null) return
      sampledRows++
      representedRows += 1 / p
    },
    finish: (): SampleCounts => ({ answeredRows, sampledRows, representedRows }),
  }
}

/**
 * Describes the fault that rows come from more than one draw; `undefined` if they come from one, or if the run has only drawn
 * rows.
 */
export const explainSeveralSamples = ({
  answeredRows,
  sampledRows,
  representedRows,
}: SampleCounts): string | undefined =>
  sampledRows < answeredRows &&
  comeFromSeveralSamples({ answeredRows, sampledRows, representedRows })
    ? `its rows come from more than one draw: by their "p", the ${sampledRows} drawn rows represent ${Math.round(representedRows)} rows, but only ${answeredRows} rows were answered; draw once with a larger -n, and pass the labels that you have to svc sample --labels`
    : undefined

/** Returns `true` if the drawn rows represent more rows than the run has. */
export const comeFromSeveralSamples = ({ answeredRows, representedRows }: SampleCounts): boolean =>
  representedRows > maxRepresentedRatio * answeredRows
