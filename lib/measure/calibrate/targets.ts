import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionType } from '../../runs/policy/policy'
import type { LabelledRun } from '../rows/labelled-run'
import { type CutTarget, targetFigures } from '../statistics/cuts'

/** A value of `--target`, such as `precision=0.95` or `urgent:recall=0.9`. */
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

const fitsType = (figure: CutTarget['figure'], type: QuestionType): boolean =>
  targetFiguresByType[type].includes(figure)

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

const parseTarget = (text: string): E.Either<Failure, ParsedTarget> => {
  // For example `urgent:recall=0.9`: the question is optional and may have colons.
  const [, question, figureName, valueText] =
    /^(?:([\s\S]*):)?([a-z]+)=(\d+\.?\d*|\.\d+)$/.exec(text) ?? []
  const figure = targetFigures.find((name) => name === figureName)
  if (valueText === undefined || figure === undefined)
    return refuseTarget(text, `expected [question:]${targetFigures.join('|')}=<number>`)
  const value = Number(valueText)
  // No sample proves a share of 1. Only a coverage, which is counted, may be 1.
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
 * Assigns to each question the fitting target of the highest rank. Fails with a usage error if a target fits no question, or if two
 * targets of the same rank fit a question.
 */
export const assignTargets = (
  targets: ReadonlyArray<ParsedTarget>,
  { questions }: LabelledRun,
): E.Either<Failure, ReadonlyMap<string, CutTarget>> => {
  for (const target of targets) {
    const misfit = explainMisfit(target, questions)
    if (misfit !== undefined) return refuseTarget(target.text, misfit)
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
  { question: id, figure }: ParsedTarget,
  questions: LabelledRun['questions'],
): string | undefined => {
  if (id === undefined) {
    const fitsAny = [...questions.values()].some(({ type }) => fitsType(figure, type))
    return fitsAny ? undefined : 'it fits no question of the run'
  }
  const type = questions.get(id)?.type
  if (type === undefined) return `no question "${id}"`
  return fitsType(figure, type)
    ? undefined
    : `a ${type} question takes ${targetFiguresByType[type].join(' or ')}`
}

/** Returns the target of the highest rank that fits a question; `undefined` if none fits. Fails if two that fit have the same rank. */
const selectTarget = (
  id: string,
  type: QuestionType,
  targets: ReadonlyArray<ParsedTarget>,
): E.Either<Failure, ParsedTarget | undefined> => {
  // The index of a target is its rank.
  const targetByRank: ParsedTarget[] = []
  for (const target of targets) {
    const isForQuestion = target.question === undefined || target.question === id
    if (!isForQuestion || !fitsType(target.figure, type)) continue
    const rank = rankTarget(target)
    const rival = targetByRank[rank]
    if (rival !== undefined)
      return refuseTarget(target.text, `question "${id}" has the target ${rival.text} already`)
    targetByRank[rank] = target
  }
  return E.right(targetByRank.at(-1))
}

/** Ranks a target from 0 to 3: first by whether it names a question, then precision and recall above accuracy and coverage. */
const rankTarget = ({ question, figure }: ParsedTarget): number => {
  const questionRank = question === undefined ? 0 : 2
  const figureRank = figure === 'precision' || figure === 'recall' ? 1 : 0
  return questionRank + figureRank
}
