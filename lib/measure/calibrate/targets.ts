import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionType } from '../../runs/policy/policy'
import type { LabelledRun } from '../rows/labelled-run'
import { type CutTarget, targetFigures } from '../statistics/cuts'

/** A value of `--target`, such as `precision=0.95` or `urgent:recall=0.9`: what the rows that a cut accepts must reach. */
export interface ParsedTarget extends CutTarget {
  /** The text after the flag. */
  readonly text: string
  /** The question; `undefined` if the target is for all questions whose type it fits. */
  readonly question: string | undefined
}

/** The figures that a target can name, by question type. */
const targetFiguresByType: Readonly<Record<QuestionType, ReadonlyArray<CutTarget['figure']>>> = {
  noul: targetFigures,
  choice: ['accuracy', 'coverage'],
  score: ['accuracy', 'coverage'],
}

/** Parses the values of `--target`. Fails with a usage error. */
export const parseTargets = (
  texts: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyArray<ParsedTarget>> => {
  const targets: ParsedTarget[] = []
  for (const text of texts) {
    const target = parseTarget(text)
    if (E.isLeft(target)) return target
    targets.push(target.right)
  }
  return E.right(targets)
}

/** Parses a value of `--target`. No sample proves a share of 1, so a target is below 1. Only a coverage, which is counted, may be 1. */
const parseTarget = (text: string): E.Either<Failure, ParsedTarget> => {
  // For example `urgent:recall=0.9`: the question is optional and may have colons.
  const [, question, figureName, valueText] =
    /^(?:([\s\S]*):)?([a-z]+)=(\d+\.?\d*|\.\d+)$/.exec(text) ?? []
  const figure = targetFigures.find((name) => name === figureName)
  if (valueText === undefined || figure === undefined)
    return refuseTarget(text, `expected [question:]${targetFigures.join('|')}=<number>`)
  const value = Number(valueText)
  const isInRange = value > 0 && (value < 1 || (value === 1 && figure === 'coverage'))
  if (!isInRange) {
    const upperBound = figure === 'coverage' ? 'at most 1' : 'below 1'
    return refuseTarget(text, `${figure} must be above 0 and ${upperBound}`)
  }
  return E.right({ text, question, figure, value })
}

const refuseTarget = (text: string, cause: string): E.Either<Failure, never> =>
  E.left(usage(`--target ${JSON.stringify(text)}: ${cause}`))

/**
 * Assigns a target to each question. A target that names the question overrides a target for all questions. Otherwise precision and
 * recall override accuracy and coverage. Fails with a usage error if a target fits no question, or if two targets of the same rank
 * fit a question.
 */
export const assignTargets = (
  targets: ReadonlyArray<ParsedTarget>,
  { questions }: LabelledRun,
): E.Either<Failure, ReadonlyMap<string, CutTarget>> => {
  for (const target of targets) {
    const fault = explainMisfit(target, questions)
    if (fault !== undefined) return refuseTarget(target.text, fault)
  }
  const assigned = new Map<string, ParsedTarget>()
  for (const [id, { type }] of questions) {
    const target = selectTarget(id, type, targets)
    if (E.isLeft(target)) return target
    if (target.right !== undefined) assigned.set(id, target.right)
  }
  return E.right(assigned)
}

/** Explains why a target fits no question of the run; `undefined` if it fits one. */
const explainMisfit = (
  { question, figure }: ParsedTarget,
  questions: LabelledRun['questions'],
): string | undefined => {
  const type = question === undefined ? undefined : questions.get(question)?.type
  if (question !== undefined && type === undefined) return `no question "${question}"`
  if (type !== undefined && !targetFiguresByType[type].includes(figure))
    return `a ${type} question takes ${targetFiguresByType[type].join(' or ')}`
  return [...questions.values()].some((rows) => targetFiguresByType[rows.type].includes(figure))
    ? undefined
    : 'it fits no question of the run'
}

/** Returns the target of the highest rank that fits a question; `undefined` if no target does. Fails if two have the same rank. */
const selectTarget = (
  id: string,
  type: QuestionType,
  targets: ReadonlyArray<ParsedTarget>,
): E.Either<Failure, ParsedTarget | undefined> => {
  const targetByRank = new Map<number, ParsedTarget>()
  for (const target of targets) {
    const isForQuestion = target.question === undefined || target.question === id
    if (!isForQuestion || !targetFiguresByType[type].includes(target.figure)) continue
    const rank = rankTarget(target)
    const rival = targetByRank.get(rank)
    if (rival !== undefined)
      return refuseTarget(target.text, `question "${id}" has the target ${rival.text} already`)
    targetByRank.set(rank, target)
  }
  // Without any rank, the maximum is −∞, which no target has.
  return E.right(targetByRank.get(Math.max(...targetByRank.keys())))
}

/** Ranks a target from 0 to 3. A target that names a question ranks above others, then precision and recall above other figures. */
const rankTarget = ({ question, figure }: ParsedTarget): number => {
  const questionRank = question === undefined ? 0 : 2
  const figureRank = figure === 'precision' || figure === 'recall' ? 1 : 0
  return questionRank + figureRank
}
