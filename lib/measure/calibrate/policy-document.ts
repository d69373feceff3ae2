import type { Draft } from '../../codec/json/draft'
import type { CutScale, QuestionPolicy, QuestionType } from '../../runs/policy/policy'
import { sanitize } from '../../text/sanitize'
import { alignTable } from '../../text/table'
import { plainLayout, type TextLayout } from '../../text/terminal'
import { formatFigure, formatShare } from '../format-figures'
import { type AnswerCounts, describeRowsForPerson, shareOfAllRows } from '../rows/answer-counts'
import type { Cut, CutTarget } from '../statistics/cuts'

/** A policy of `svc calibrate` with its evidence, by question id. */
export type PolicyWithEvidence = ReadonlyMap<string, QuestionPolicyWithEvidence>

/** The policy for one question: a calibration map, and a cut at or above which answers are accepted. */
export interface QuestionPolicyWithEvidence extends Omit<QuestionPolicy, 'cut'> {
  readonly cut: Cut
  /** Null if no target fits the question. */
  readonly target: (CutTarget & { readonly confidence: number }) | null
  readonly labelledRows: number
  /** All rows of the run, by their outcome. */
  readonly answerCounts: AnswerCounts
}

/**
 * Returns the scale of a cut: the probability that is compared with it. `figure` is `undefined` without a target. A yes/no question
 * (`noul`) uses the calibrated P(yes), except for accuracy and coverage, which count a sure no like a sure yes. All else uses `top`,
 * the largest calibrated probability.
 */
export const selectScale = (
  type: QuestionType,
  figure: CutTarget['figure'] | undefined,
): CutScale => {
  const countsSureNo = figure === 'accuracy' || figure === 'coverage'
  return type === 'noul' && !countsSureNo ? 'noul' : 'top'
}

/** Encodes the document of `svc calibrate`, which is `policy.json`. */
export const encodePolicyWithEvidence = (questions: PolicyWithEvidence): Draft => {
  const encoded = new Map<string, Draft>()
  for (const [id, question] of questions)
    encoded.set(id, {
      type: question.type,
      questions_sha256: question.questionsSha256,
      models: question.models,
      map: question.map && { ...question.map },
      cut: encodeCut(question),
      n: question.labelledRows,
    })
  return { questions: encoded }
}

const encodeCut = ({ type, cut, target }: QuestionPolicyWithEvidence): Draft => ({
  at: cut.threshold,
  scale: selectScale(type, target?.figure),
  n: cut.acceptedRows,
  share: cut.acceptedShare,
  low: cut.lowerBound,
  target: target && {
    figure: target.figure,
    value: target.value,
    // A coverage is counted, not proven.
    confidence: target.figure === 'coverage' ? undefined : target.confidence,
  },
  needs: cut.minRowsForProof,
  why: cut.reason,
})

/**
 * Formats the table of `svc calibrate --table`: for each cut, the lower bound of its figure, the share of all rows that it accepts,
 * and the share that goes to a person, which includes refused and failed rows. The accepted share of the answered rows is estimated from
 * the labelled ones.
 */
export const tabulatePolicy = (
  questions: PolicyWithEvidence,
  layout: TextLayout = plainLayout,
): string => {
  const textColumnCount = 2
  const table = alignTable(
    textColumnCount,
    ['question', 'target', 'labelled', 'from', 'at least', 'accepts', 'to a person'],
    [...questions].map(([id, { cut, target, labelledRows, answerCounts }]) => {
      const acceptedShare = shareOfAllRows(cut.acceptedShare, answerCounts)
      return [
        id,
        target === null ? '' : `${target.figure} ${target.value}`,
        String(labelledRows),
        cut.threshold === null ? '' : formatFigure(cut.threshold),
        cut.lowerBound === null ? '' : formatFigure(cut.lowerBound),
        formatShare(acceptedShare),
        formatShare(1 - acceptedShare),
      ]
    }),
    { ...layout, decisive: 'accepts', droppable: ['labelled', 'from', 'to a person', 'at least'] },
  )
  const notes = [...questions].flatMap(([id, { cut, answerCounts }]) => {
    const rowsForPerson = describeRowsForPerson(answerCounts)
    return [
      ...(rowsForPerson === '' ? [] : [sanitize(`${id}: ${rowsForPerson}`)]),
      ...(cut.reason === undefined ? [] : [sanitize(`${id}: no cut: ${cut.reason}`)]),
    ]
  })
  return notes.length === 0 ? table : `${table}\n\n${notes.join('\n')}`
}
