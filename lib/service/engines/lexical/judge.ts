import type { Distribution, EngineQuestion } from '../engine'
import { readInstructions } from './instructions'
import { cluesOf, optionOf, rank } from './options'
import { focusOf, type Overlap, overlap } from './sentences'
import type { Places, readState } from './state'
import type { Weights } from './weights'

type Known = Exclude<EngineQuestion, { type: 'other' }>
type Focus = (sentence: number) => number

/** Answers one question about any state; exactly 0.5 or uniform without evidence. D39 */
export type Judge = (ask: ReturnType<typeof readState>) => Distribution

/** Prepares a question of the three known types, as far as it does not depend on a state. */
export const judgeOf = (question: Known, weights: Weights): Judge => {
  const instructions = readInstructions(question.instructions)
  const answer = answerTo(question, weights)
  return (ask) => {
    const asked = ask(instructions)
    const shared = overlap(asked.terms, asked.places)
    return answer(shared, asked.places, focusOf(shared, weights.focus))
  }
}

type Answer = (shared: Overlap, state: Places, focus: Focus) => Distribution

const answerTo = (question: Known, weights: Weights): Answer => {
  switch (question.type) {
    case 'noul': {
      const yesOf = noul(question, weights)
      return (shared, state, focus) => ({ type: 'noul', yes: yesOf(shared, state, focus) })
    }
    case 'choice': {
      const labels = question.criteria.map(([label, text]) => optionOf(label, text, weights.label))
      const clues = cluesOf(labels, weights)
      return (_, state, focus) => {
        const scores = rank(clues, state, focus, weights)
        return { type: 'choice', probabilities: softmax(scores, weights.choice) }
      }
    }
    case 'score': {
      const levels = question.criteria.map((level) => optionOf(undefined, level, weights.label))
      const clues = cluesOf(levels, weights)
      return (_, state, focus) => {
        const scores = smooth(rank(clues, state, focus, weights), weights.neighbour)
        return { type: 'score', probabilities: softmax(scores, weights.score) }
      }
    }
  }
}

/**
 * Two kinds of evidence: the best sentence's share of the instructions' words (a negated sentence
 * counts for no), and what the criteria's descriptions share with the state.
 */
const noul = ({ criteria }: Extract<Known, { type: 'noul' }>, weights: Weights) => {
  const texts = criteria === undefined ? [] : [criteria.true, criteria.false]
  const clues = cluesOf(
    texts.map((text) => optionOf(undefined, text, 1)),
    weights,
  )
  const described = criteria?.true !== undefined && criteria.false !== undefined
  return (shared: Overlap, state: Places, focus: Focus): number => {
    const [yes = 0, no = 0] = rank(clues, state, focus, weights)
    const stated = described && yes !== no ? 0 : statement(shared, weights)
    const logit = stated + weights.criteria * (yes - no)
    return logit === 0 ? 0.5 : 1 / (1 + Math.exp(-logit))
  }
}

const statement = ({ asked, found, sentences }: Overlap, weights: Weights): number => {
  if (found === 0) return 0
  let affirmed = 0
  let denied = 0
  for (const { same, opposite } of sentences.values()) {
    const share = (same + opposite) / asked
    if (opposite > 0) denied = Math.max(denied, share)
    else affirmed = Math.max(affirmed, share)
  }
  const best = denied >= affirmed && denied > 0 ? -denied * weights.negation : affirmed
  return best < 0 ? weights.found * best : weights.found * (best - weights.threshold)
}

const smooth = (scores: ReadonlyArray<number>, share: number): ReadonlyArray<number> =>
  scores.map((own, i) => own + share * ((scores[i - 1] ?? 0) + (scores[i + 1] ?? 0)))

/** Equal scores give exactly equal probabilities. */
const softmax = (scores: ReadonlyArray<number>, scale: number): ReadonlyArray<number> => {
  const highest = Math.max(...scores)
  const masses = scores.map((score) => Math.exp(scale * (score - highest)))
  const total = masses.reduce((sum, mass) => sum + mass, 0)
  return masses.map((mass) => mass / total)
}
