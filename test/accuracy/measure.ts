import * as E from 'fp-ts/Either'
import type {
  Distribution,
  EngineAnswer,
  EngineFailure,
  EngineRequest,
} from '../../lib/service/engines/engine'
import type { Item } from './items'

/** Answers as an engine does, at once. */
export type Answering = (request: EngineRequest) => E.Either<EngineFailure, EngineAnswer>

/** Right, wrong, or without an opinion: exactly 0.5, or no single highest probability. */
export type Verdict = 'right' | 'wrong' | 'none'

export interface Measured {
  readonly right: number
  readonly wrong: number
  readonly none: number
  /** Mean natural-log loss of the true answer. */
  readonly loss: number
}

/** The outcome for each item. */
export const outcomes = (
  items: ReadonlyArray<Item>,
  answering: Answering,
): ReadonlyArray<{ readonly verdict: Verdict; readonly loss: number }> =>
  items.map(({ state, question, answer }) => {
    const answered = answering({ state, questions: [['q', question]] })
    if (E.isLeft(answered)) throw new Error(answered.left.message)
    const probabilities = masses(answered.right.answers[0])
    const highest = Math.max(...probabilities)
    const single = probabilities.filter((p) => p === highest).length === 1
    const right = probabilities[answer] === highest
    return {
      verdict: single ? (right ? 'right' : 'wrong') : 'none',
      loss: -Math.log(Math.max(probabilities[answer] ?? 0, 1e-9)),
    }
  })

export const measure = (items: ReadonlyArray<Item>, answering: Answering): Measured => {
  const all = outcomes(items, answering)
  const count = (verdict: Verdict) => all.filter((one) => one.verdict === verdict).length
  return {
    right: count('right'),
    wrong: count('wrong'),
    none: count('none'),
    loss: all.reduce((sum, { loss }) => sum + loss, 0) / all.length,
  }
}

const masses = (distribution: Distribution | undefined): ReadonlyArray<number> =>
  distribution === undefined
    ? []
    : distribution.type === 'noul'
      ? [1 - distribution.yes, distribution.yes]
      : distribution.probabilities
