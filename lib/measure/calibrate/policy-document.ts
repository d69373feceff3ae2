import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../failure/text/sanitize'
import { alignTable } from '../../failure/text/table'
import type { QuestionPolicy, QuestionType } from '../../runs/policy/policy'
import { formatFigure, formatWholePercent } from '../format-figures'
import type { Cut, CutTarget } from '../statistics/cuts'

/** A policy of `svc calibrate` with its evidence, by question id. */
export type FoundPolicy = ReadonlyMap<string, FoundQuestionPolicy>

/** The policy for one question. */
export interface FoundQuestionPolicy extends QuestionPolicy {
  readonly cut: Cut
  /** Null if no target fits the question. */
  readonly target: (CutTarget & { readonly confidence: number }) | null
  /** The number of labelled rows. */
  readonly n: number
}

/**
 * Returns the scale of a cut. `noul` is the calibrated P(yes). `top` is the largest calibrated probability: on this scale, a sure no
 * is accepted like a sure yes.
 */
export const scaleOf = (type: QuestionType, target: CutTarget | null): 'noul' | 'top' =>
  type === 'noul' && target?.figure !== 'accuracy' && target?.figure !== 'coverage' ? 'noul' : 'top'

/** Encodes the document of `svc calibrate`, which is `policy.json`. */
export const encodeFoundPolicy = (questions: FoundPolicy): Draft => {
  const encoded = new Map<string, Draft>()
  for (const [id, question] of questions) encoded.set(id, encodeQuestionPolicy(question))
  return { questions: encoded }
}

const encodeQuestionPolicy = (question: FoundQuestionPolicy): Draft => {
  const { type, questionsSha256, models, map, n } = question
  return {
    type,
    questions_sha256: questionsSha256,
    models,
    map: map && { ...map },
    cut: encodeCut(question),
    n,
  }
}

const encodeCut = ({ type, cut, target }: FoundQuestionPolicy): Draft => ({
  at: cut.at,
  scale: scaleOf(type, target),
  n: cut.n,
  share: cut.share,
  low: cut.low,
  target: target && {
    figure: target.figure,
    value: target.value,
    confidence: target.figure === 'coverage' ? undefined : target.confidence,
  },
  needs: cut.needs,
  why: cut.why,
})

/**
 * Formats the table of `svc calibrate --table`: for each cut, the lower bound of its figure, the share of rows that it accepts, and
 * the share of rows for a person. Shares are of the whole run if the labelled rows were drawn by chance.
 */
export const tabulatePolicy = (questions: FoundPolicy): string => {
  const table = alignTable(
    2,
    ['question', 'target', 'labelled', 'from', 'at least', 'accepts', 'to a person'],
    [...questions].map(([id, { cut, target, n }]) => [
      id,
      target === null ? '' : `${target.figure} ${target.value}`,
      String(n),
      cut.at === null ? '' : formatFigure(cut.at),
      cut.low === null ? '' : formatFigure(cut.low),
      formatWholePercent(cut.share),
      formatWholePercent(1 - cut.share),
    ]),
  )
  const reasons = [...questions].flatMap(([id, { cut }]) =>
    cut.why === undefined ? [] : [sanitize(`${id}: no cut: ${cut.why}`)],
  )
  return [table, ...(reasons.length === 0 ? [] : [reasons.join('\n')])].join('\n\n')
}
