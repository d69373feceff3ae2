import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../failure/text/sanitize'
import { alignTable } from '../../failure/text/table'
import type { CutScale, QuestionPolicy, QuestionType } from '../../runs/policy/policy'
import { formatFigure, formatWholePercent } from '../format-figures'
import type { Cut, CutTarget } from '../statistics/cuts'

/** A policy of `svc calibrate` with its evidence, by question id. */
export type PolicyWithEvidence = ReadonlyMap<string, QuestionPolicyWithEvidence>

/** The policy for one question: a calibration map, and a cut at or above which answers are accepted. */
export interface QuestionPolicyWithEvidence extends Omit<QuestionPolicy, 'cut'> {
  readonly cut: Cut
  /** Null if no target fits the question. */
  readonly target: (CutTarget & { readonly confidence: number }) | null
  /** The number of labelled rows. */
  readonly labelledRows: number
}

/**
 * Returns the scale on which a cut is chosen. A yes/no question (`noul`) uses the calibrated P(yes), except for an accuracy or
 * coverage target, which counts a sure no like a sure yes. All else uses `top`, the largest calibrated probability.
 */
export const selectScale = (type: QuestionType, target: CutTarget | null): CutScale => {
  const countsSureNo = target?.figure === 'accuracy' || target?.figure === 'coverage'
  return type === 'noul' && !countsSureNo ? 'noul' : 'top'
}

/** Encodes the document of `svc calibrate`, which is `policy.json`. */
export const encodePolicyWithEvidence = (questions: PolicyWithEvidence): Draft => {
  const encoded = new Map<string, Draft>()
  for (const [id, question] of questions) encoded.set(id, encodeQuestionPolicy(question))
  return { questions: encoded }
}

const encodeQuestionPolicy = (question: QuestionPolicyWithEvidence): Draft => {
  const { type, questionsSha256, models, map, labelledRows } = question
  return {
    type,
    questions_sha256: questionsSha256,
    models,
    map: map && { ...map },
    cut: encodeCut(question),
    n: labelledRows,
  }
}

const encodeCut = ({ type, cut, target }: QuestionPolicyWithEvidence): Draft => ({
  at: cut.threshold,
  scale: selectScale(type, target),
  n: cut.acceptedRows,
  share: cut.acceptedShare,
  low: cut.lowerBound,
  target: target && {
    figure: target.figure,
    value: target.value,
    confidence: target.figure === 'coverage' ? undefined : target.confidence,
  },
  needs: cut.minRowsForProof,
  why: cut.reason,
})

/**
 * Formats the table of `svc calibrate --table`: for each cut, the lower bound of its figure, the share of rows that it accepts, and
 * the share of rows for a person. Shares are estimates for the whole run if the labelled rows are a random sample of it. Otherwise
 * they are shares of the labelled rows.
 */
export const tabulatePolicy = (questions: PolicyWithEvidence): string => {
  const textColumns = 2
  const table = alignTable(
    textColumns,
    ['question', 'target', 'labelled', 'from', 'at least', 'accepts', 'to a person'],
    [...questions].map(([id, { cut, target, labelledRows }]) => [
      id,
      target === null ? '' : `${target.figure} ${target.value}`,
      String(labelledRows),
      cut.threshold === null ? '' : formatFigure(cut.threshold),
      cut.lowerBound === null ? '' : formatFigure(cut.lowerBound),
      formatWholePercent(cut.acceptedShare),
      formatWholePercent(1 - cut.acceptedShare),
    ]),
  )
  const reasons = [...questions].flatMap(([id, { cut }]) =>
    cut.reason === undefined ? [] : [sanitize(`${id}: no cut: ${cut.reason}`)],
  )
  return [table, ...(reasons.length === 0 ? [] : [reasons.join('\n')])].join('\n\n')
}
