import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import type { QuestionType } from '../policy/policy'
import type { Target } from '../statistics/cuts'
import type { LabelledRun } from './labelled'

/** A target as it was written: for one question, or for all whose type it fits. R21 */
export interface GivenTarget extends Target {
  readonly text: string
  readonly question: string | undefined
}

/** The figures that a target can name, by question type. */
const figuresOf: Readonly<Record<QuestionType, ReadonlyArray<Target['figure']>>> = {
  noul: ['precision', 'recall'],
  choice: ['accuracy', 'coverage'],
  score: ['accuracy', 'coverage'],
}

const isFigure = (word: string): word is Target['figure'] =>
  ['precision', 'recall', 'accuracy', 'coverage'].includes(word)

/** Parses the values of `--target`. Fails with a usage error. */
export const parseTargets = (
  texts: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyArray<GivenTarget>> => E.traverseArray(parseTarget)(texts)

const parseTarget = (text: string): E.Either<Failure, GivenTarget> => {
  const [, question, figure = '', number] =
    /^(?:([\s\S]*):)?([a-z]+)=(\d+\.?\d*|\.\d+)$/.exec(text) ?? []
  const refuse = (why: string) => E.left(usage(`--target ${JSON.stringify(text)}: ${why}`))
  if (number === undefined || !isFigure(figure))
    return refuse('expected [question:]precision|recall|accuracy|coverage=<number>')
  const value = Number(number)
  if (!(value > 0 && value <= 1) || (value === 1 && figure !== 'coverage'))
    return refuse(`${figure} must be above 0 and below 1`)
  return E.right({ text, question, figure, value })
}

/**
 * Finds the target of each question: its own, else the one for all whose type it fits. Fails with a usage error
 * where a question is unknown, has a type that the target does not fit, or has two targets. R21
 */
export const targetsOf = (
  targets: ReadonlyArray<GivenTarget>,
  { questions }: LabelledRun,
): E.Either<Failure, ReadonlyMap<string, Target>> => {
  const chosen = new Map<string, GivenTarget>()
  for (const target of targets) {
    const { text, question, figure } = target
    const refuse = (why: string) => E.left(usage(`--target ${JSON.stringify(text)}: ${why}`))
    const type = question === undefined ? undefined : questions.get(question)?.type
    if (question !== undefined && type === undefined) return refuse(`no question "${question}"`)
    if (type !== undefined && !figuresOf[type].includes(figure))
      return refuse(`a ${type} question takes ${figuresOf[type].join(' or ')}`)
    for (const [id, rows] of questions) {
      if (question === undefined ? !figuresOf[rows.type].includes(figure) : id !== question)
        continue
      const other = chosen.get(id)
      const isOwn = question !== undefined
      if (other !== undefined && (other.question !== undefined) === isOwn)
        return refuse(`question "${id}" has the target ${other.text} already`)
      if (other === undefined || isOwn) chosen.set(id, target)
    }
  }
  return E.right(chosen)
}
