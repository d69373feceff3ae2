import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'

/** The answered rows of a run, and those of them that were drawn for labelling, which have a chance `p`. */
export interface DrawnRows {
  readonly answered: number
  readonly drawn: number
  /** Σ 1/p of the drawn rows: the number of rows of the run that they represent. */
  readonly standsFor: number
}

/** One draw represents about as many rows as the run has. Above this ratio the rows come from several draws. */
const maxRatio = 1.25

/** Counts the drawn rows while a run is read. */
export const createDrawCounter = () => {
  let answered = 0
  let drawn = 0
  let standsFor = 0
  return {
    add: ({ run, outcome, p }: RunRecord): void => {
      if ((run ?? 0) > 0 || !isAnswered(outcome)) return
      answered++
      if (p === undefined || p === null) return
      drawn++
      standsFor += 1 / p
    },
    finish: (): DrawnRows => ({ answered, drawn, standsFor }),
  }
}

/** Says that rows come from more than one draw; `undefined` if they do not, or if the run holds only drawn rows. */
export const explainDraws = ({ answered, drawn, standsFor }: DrawnRows): string | undefined =>
  drawn < answered && isSeveralDraws({ answered, drawn, standsFor })
    ? `its rows come from more than one draw: by their "p" the ${drawn} drawn rows stand for ${Math.round(standsFor)} of ${answered} answered rows; draw once with a larger -n, and fill in the labels known with svc sample --labels`
    : undefined

/** True if drawn rows represent more rows than the run has. */
export const isSeveralDraws = ({ answered, standsFor }: DrawnRows): boolean =>
  standsFor > maxRatio * answered
