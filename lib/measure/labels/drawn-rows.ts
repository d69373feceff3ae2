import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'

/** Counts of the rows of a run that were drawn for labelling. */
export interface DrawnRows {
  /** The number of answered rows. */
  readonly answered: number
  /** The number of answered rows that have a chance `p`. */
  readonly drawn: number
  /** The number of rows that the drawn rows represent: Σ 1/p. */
  readonly represented: number
}

/** The rows of one draw represent about as many rows as the run has. If they represent more than this ratio, there were several draws. */
const maxRepresentedRatio = 1.25

/** Counts the drawn rows while a run is read. */
export const createDrawCounter = () => {
  let answered = 0
  let drawn = 0
  let represented = 0
  return {
    add: ({ run, outcome, p }: RunRecord): void => {
      if ((run ?? 0) > 0 || !isAnswered(outcome)) return
      answered++
      if (p === undefined || p === null) return
      drawn++
      represented += 1 / p
    },
    finish: (): DrawnRows => ({ answered, drawn, represented }),
  }
}

/**
 * Describes the fault that rows come from more than one draw; `undefined` if they come from one, or if the run has only drawn
 * rows.
 */
export const explainDraws = ({ answered, drawn, represented }: DrawnRows): string | undefined =>
  drawn < answered && isSeveralDraws({ answered, drawn, represented })
    ? `its rows come from more than one draw: by their "p", the ${drawn} drawn rows represent ${Math.round(represented)} rows, but only ${answered} rows were answered; draw once with a larger -n, and pass the labels that you have to svc sample --labels`
    : undefined

/** Returns `true` if the drawn rows represent more rows than the run has. */
export const isSeveralDraws = ({ answered, represented }: DrawnRows): boolean =>
  represented > maxRepresentedRatio * answered
