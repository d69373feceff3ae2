import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionType } from '../../runs/policy/policy'
import type { RunRecord } from '../../runs/record/decode'
import { formatCount } from '../../text/table'
import {
  findIndexes,
  type Numbers,
  pickNumbers,
  pickTableRows,
  type Table,
} from '../statistics/numbers'
import { createRowUnits, type Units } from '../statistics/units'
import type { AnswerCounts } from './answer-counts'

/** The labelled answers to one question. Lists of numbers have one entry per row. */
export interface LabelledRows {
  readonly type: QuestionType
  /** The labels: those of a choice, the levels from 0 on, or `no` and `yes`. */
  readonly labels: ReadonlyArray<string>
  /** The label that a person gave, as its index in `labels`. */
  readonly truth: Numbers
  /** The decision of the answer, as its index in `labels`; `undecided` for a score without probabilities. */
  readonly decisions: Numbers
  /** 1 if the decision is the label that a person gave, else 0. */
  readonly right: Numbers
  /**
   * The probabilities, with a column for each label. A yes/no question (`noul`) has a single column, for `yes`. An answer without
   * probabilities has a row of zeros.
   */
  readonly probabilities: Table
  /** The score of each row; empty for other types. */
  readonly scores: Numbers
  /** The weight of each row: 1/p, with the probability p with which `svc sample` drew it; 1 for rows that were not drawn. */
  readonly weights: Numbers
  /** The units that the bootstrap draws: whole groups, and single rows that have no group. */
  readonly units: Units
  /** The group of each row, as its index in `LabelledRun.groups`; −1 for none. Empty if no row has a group. */
  readonly groupOfRow: Numbers
  /** The rows of the run by their outcome, labelled or not. The arrays have entries only for labelled answers. */
  readonly answerCounts: AnswerCounts
  /** The number of refusals. */
  readonly refusalCount: number
  /** The number of refusals by the index of the group, which is −1 without a group. */
  readonly refusalsByGroup: ReadonlyMap<number, number>
  /** The number of rows that a person labelled twice, and the number of those with the same label both times. */
  readonly repeats: { readonly rowCount: number; readonly sameLabelCount: number }
  /** The wrong decisions with the highest probability, the highest first. */
  readonly confidentErrors: ReadonlyArray<ConfidentError>
}

/** The entry of `decisions` for an answer that makes no decision. It is above every index of a label. */
export const undecided = 0xffff

/** A wrong decision with a high probability. */
export interface ConfidentError {
  readonly index: number
  /** The id as text; `undefined` if the row has none. */
  readonly id: string | undefined
  /** The label that a person gave. */
  readonly truth: string
  /** The label that the answer decided for. */
  readonly decided: string
  readonly probability: number
  readonly stateSha256: string | undefined
  readonly images: RunRecord['images']
  /** The beginning of the row's state, redacted; `undefined` if it was not requested or is not in the record. */
  readonly text: string | undefined
}

/** The labelled answers of a run. */
export interface LabelledRun {
  /** The number of rows. Repetitions of a row are not counted. */
  readonly rowCount: number
  readonly answeredCount: number
  /** The number of answered rows with at least one label. */
  readonly labelledCount: number
  /** The number of rows with a refusal. */
  readonly refusedCount: number
  /** The answers by question id, in the order of first appearance. */
  readonly questions: ReadonlyMap<string, LabelledRows>
  /** The names of the groups of labelled rows and of refusals. */
  readonly groups: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
  /** The digests of the questions: one for each set of questions in the run. */
  readonly questionsSha256: ReadonlyArray<string>
}

/** Fails with a usage error if a run has no rows, no answers or no labels. */
export const checkLabelled = (
  command: string,
  { rowCount, answeredCount, labelledCount }: LabelledRun,
): E.Either<Failure, void> => {
  if (rowCount === 0) return E.left(usage(`${command}: the run has no rows`))
  if (answeredCount === 0) return E.left(usage(`${command}: no row of the run was answered`))
  return labelledCount === 0
    ? E.left(usage('no labels: svc batch --label, --labels, or svc sample'))
    : E.right(undefined)
}

/**
 * Returns the rows of one group, whose index is `group`. The bootstrap then draws rows instead of groups. Confident errors and
 * repeated labels are left out.
 */
export const selectGroup = (rows: LabelledRows, group: number): LabelledRows => {
  const indexes = findIndexes(rows.groupOfRow, (index) => index === group)
  return {
    ...rows,
    truth: pickNumbers(rows.truth, indexes),
    decisions: pickNumbers(rows.decisions, indexes),
    right: pickNumbers(rows.right, indexes),
    probabilities: pickTableRows(rows.probabilities, indexes),
    scores: rows.scores.length === 0 ? rows.scores : pickNumbers(rows.scores, indexes),
    weights: pickNumbers(rows.weights, indexes),
    units: createRowUnits(indexes.length),
    groupOfRow: [],
    refusalCount: rows.refusalsByGroup.get(group) ?? 0,
    refusalsByGroup: new Map(),
    confidentErrors: [],
    repeats: { rowCount: 0, sameLabelCount: 0 },
  }
}

/** Explains how many answers have no probabilities; `undefined` if all have some. Every answer to a yes/no question (`noul`) has one. */
export const explainAnswersWithoutProbabilities = (
  rows: Pick<LabelledRows, 'type' | 'truth' | 'probabilities'>,
): string | undefined => {
  const { type, truth } = rows
  const { values, columns } = rows.probabilities
  if (type === 'noul') return undefined
  let withoutProbabilities = 0
  for (let start = 0; start < values.length; start += columns) {
    let total = 0
    for (let k = start; k < start + columns; k++) total += values[k] as number
    // A row of zeros stands for an answer without probabilities.
    if (total === 0) withoutProbabilities++
  }
  return withoutProbabilities === 0
    ? undefined
    : `${withoutProbabilities} of ${formatCount(truth.length, 'answer', 'has', 'have')} no probabilities`
}
