import type { Distribution, EngineAnswer, EngineRequest } from '../../lib/service/contract/engine'
import type { Item } from './items'

/** Answers as an engine does, at once. */
export type Answering = (request: EngineRequest) => EngineAnswer

/** Right, wrong, or without an opinion: exactly 0.5, or no single highest probability. */
export type Verdict = 'right' | 'wrong' | 'none'

export interface Measured {
  readonly right: number
  readonly wrong: number
  readonly none: number
  /** Mean natural-log loss of the true answer. */
  readonly loss: number
}

/** What became of one item. `claimed` is the highest probability, `loss` the natural-log loss of the true answer. */
export interface Outcome {
  readonly verdict: Verdict
  readonly claimed: number
  readonly loss: number
}

/** What these probabilities are worth where `answer` is the index of the true one. */
export const outcomeOf = (probabilities: ReadonlyArray<number>, answer: number): Outcome => {
  const claimed = Math.max(...probabilities)
  // Probabilities that are equal differ by their last place when they are rounded so that they sum to 1.
  const single = probabilities.filter((p) => p > claimed - 2e-4).length === 1
  return {
    verdict: single ? (probabilities[answer] === claimed ? 'right' : 'wrong') : 'none',
    claimed,
    loss: -Math.log(Math.max(probabilities[answer] ?? 0, 1e-9)),
  }
}

/** What became of each item. */
export const outcomesOf = (
  items: ReadonlyArray<Item>,
  answering: Answering,
): ReadonlyArray<Outcome> =>
  items.map(({ state, question, answer }) => {
    const { answers } = answering({ state, questions: [['q', question]] })
    return outcomeOf(masses(answers[0]), answer)
  })

export const measure = (items: ReadonlyArray<Item>, answering: Answering): Measured => {
  const all = outcomesOf(items, answering)
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
