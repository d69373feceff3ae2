import type { QuestionType } from '../policy/policy'
import type { Units } from '../statistics/bootstrap'
import { type Numbers, pick, pickRows, type Table } from '../statistics/numbers'

/** The labelled answers to one question, as numbers. R18 */
export interface LabelledRows {
  readonly type: QuestionType
  /** What answers choose from: labels, levels from 0 on, or `no` and `yes`. */
  readonly labels: ReadonlyArray<string>
  /** What a person says, and what the answer decides for, by place in `labels`. */
  readonly truth: Numbers
  /** NaN where the answer leaves it open: a score without probabilities. */
  readonly decided: Numbers
  /** The probability of each label. Where an answer gave none, that of noul's `yes` apart, the row is 0. */
  readonly probabilities: Table
  /** The score of each row of a score question. */
  readonly scores: Numbers
  /** 1/p of each row's chance to be sampled. R25 */
  readonly weights: Numbers
  /** What the bootstrap draws: groups, and ungrouped rows singly. R19 */
  readonly units: Units
  /** The group of each row by place in the run's `groups`, −1 for none. */
  readonly group: Numbers
  /** The most confident errors, the surest first. R20 */
  readonly errors: ReadonlyArray<ConfidentError>
}

/** A row that was decided wrongly. */
export interface ConfidentError {
  readonly index: number
  /** As text, `undefined` where the row has none. */
  readonly id: string | undefined
  readonly truth: string
  readonly decided: string
  /** The probability of what it decided for. */
  readonly probability: number
}

/** What a run holds for measuring. */
export interface LabelledRun {
  /** Rows; of a row that was asked several times the first counts. R13 */
  readonly rows: number
  readonly answered: number
  /** Answered rows with a label at least. */
  readonly labelled: number
  /** By question, in the order of their first appearance. */
  readonly questions: ReadonlyMap<string, LabelledRows>
  /** The names of the groups of labelled rows. */
  readonly groups: ReadonlyArray<string>
  /** Of the answered rows, by question: the models and the digests of the questions. R23 */
  readonly models: ReadonlyArray<string>
  readonly questionsSha256: ReadonlyArray<string>
}

/** The rows of one group; inside it the bootstrap draws rows singly. */
export const ofGroup = (rows: LabelledRows, group: number): LabelledRows => {
  const places = Array.from(rows.group, (one, place) => ({ one, place }))
    .filter(({ one }) => one === group)
    .map(({ place }) => place)
  return {
    ...rows,
    truth: pick(rows.truth, places),
    decided: pick(rows.decided, places),
    probabilities: pickRows(rows.probabilities, places),
    scores: pick(rows.scores, places),
    weights: pick(rows.weights, places),
    units: { units: places.length, unitOf: Uint32Array.from(places, (_, i) => i) },
    group: pick(rows.group, places),
    errors: [],
  }
}

/** Rows whose answer gave no probabilities. */
export const rowsWithout = ({
  probabilities: { values, columns },
  truth,
}: LabelledRows): number => {
  if (columns === 0) return truth.length
  let empty = 0
  for (let from = 0; from < values.length; from += columns) {
    let total = 0
    for (let k = from; k < from + columns; k++) total += values[k] as number
    if (total === 0) empty++
  }
  return empty
}
