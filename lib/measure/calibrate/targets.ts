import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionType } from '../../runs/policy/policy'
import type { LabelledRun } from '../rows/labelled-run'
import { type CutTarget, targetFigures } from '../statistics/cuts'

/** A value of `--target`: for one question, or for all questions whose type it fits. */
export interface GivenTarget extends CutTarget {
  readonly text: string
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
): E.Either<Failure, ReadonlyArray<GivenTarget>> => E.traverseArray(parseTarget)(texts)

const parseTarget = (text: string): E.Either<Failure, GivenTarget> => {
  const [, question, word, number] = /^(?:([\s\S]*):)?([a-z]+)=(\d+\.?\d*|\.\d+)$/.exec(text) ?? []
  const figure = targetFigures.find((known) => known === word)
  if (number === undefined || figure === undefined)
    return refuse(text, `expected [question:]${targetFigures.join('|')}=<number>`)
  const value = Number(number)
  if (!(value > 0 && value <= 1) || (value === 1 && figure !== 'coverage'))
    return refuse(text, `${figure} must be above 0 and below 1`)
  return E.right({ text, question, figure, value })
}

const refuse = (text: string, why: string): E.Either<Failure, never> =>
  E.left(usage(`--target ${JSON.stringify(text)}: ${why}`))

/**
 * Assigns each question the target of the highest rank that fits it. A target that names the question overrides one for all
 * questions; then precision and recall override accuracy and coverage. Fails with a usage error if a target fits no question, or if
 * two targets of the same rank fit one.
 */
export const assignTargets = (
  targets: ReadonlyArray<GivenTarget>,
  { questions }: LabelledRun,
): E.Either<Failure, ReadonlyMap<string, CutTarget>> => {
  for (const target of targets) {
    const fault = explainUnfitting(target, questions)
    if (fault !== undefined) return refuse(target.text, fault)
  }
  const assigned = new Map<string, GivenTarget>()
  for (const [id, { type }] of questions) {
    const best = selectTarget(id, type, targets)
    if (E.isLeft(best)) return best
    if (best.right !== undefined) assigned.set(id, best.right)
  }
  return E.right(assigned)
}

/** Explains why a target fits no question of the run; `undefined` if it fits one. */
const explainUnfitting = (
  { question, figure }: GivenTarget,
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

/** Returns the target of a question, if one fits it. Fails if two of the same rank do. */
const selectTarget = (
  id: string,
  type: QuestionType,
  targets: ReadonlyArray<GivenTarget>,
): E.Either<Failure, GivenTarget | undefined> => {
  const ranked = new Map<number, GivenTarget>()
  for (const target of targets) {
    if ((target.question ?? id) !== id || !targetFiguresByType[type].includes(target.figure))
      continue
    const same = ranked.get(rankOf(target))
    if (same !== undefined)
      return refuse(target.text, `question "${id}" has the target ${same.text} already`)
    ranked.set(rankOf(target), target)
  }
  return E.right(ranked.get(Math.max(...ranked.keys())))
}

/** Returns the rank of a target, 0 to 3. */
const rankOf = ({ question, figure }: GivenTarget): number =>
  (question === undefined ? 0 : 2) + (figure === 'precision' || figure === 'recall' ? 1 : 0)
