import type { Json } from '../../../json/json'
import type { Distribution, EngineQuestion } from '../../engine'
import { optionOf, rank } from './options'
import { focusOf, type Overlap, overlap } from './sentences'
import type { Asked, Places } from './state'
import type { Weights } from './weights'

/** The answer to one question of the three known types; exactly 0.5 or uniform without evidence. D39 */
export const judge = (
  question: Exclude<EngineQuestion, { type: 'other' }>,
  asked: Asked,
  weights: Weights,
): Distribution => {
  const shared = overlap(asked)
  const state = asked.places
  const focus = focusOf(shared, weights.focus)
  switch (question.type) {
    case 'noul':
      return { type: 'noul', yes: yesOf(question.criteria, shared, state, focus, weights) }
    case 'choice': {
      const options = question.criteria.map(([label, text]) => optionOf(label, text, weights.label))
      const scores = rank(options, state, focus, weights)
      return { type: 'choice', probabilities: softmax(scores, weights.choice) }
    }
    case 'score': {
      const levels = question.criteria.map((level) => optionOf(undefined, level, weights.label))
      const scores = smooth(rank(levels, state, focus, weights), weights.neighbour)
      return { type: 'score', probabilities: softmax(scores, weights.score) }
    }
  }
}

type Focus = (sentence: number) => number
type Criteria = { readonly true?: Json; readonly false?: Json } | undefined

/**
 * Two kinds of evidence: the best sentence's share of the instructions' words (a negated sentence
 * counts for no), and what the criteria's descriptions share with the state.
 */
const yesOf = (
  criteria: Criteria,
  shared: Overlap,
  state: Places,
  focus: Focus,
  weights: Weights,
): number => {
  const options = [criteria?.true, criteria?.false].map((text) => optionOf(undefined, text, 1))
  const [yes = 0, no = 0] = criteria === undefined ? [] : rank(options, state, focus, weights)
  const described = criteria?.true !== undefined && criteria.false !== undefined
  const stated = described && yes !== no ? 0 : statement(shared, weights)
  const logit = stated + weights.criteria * (yes - no)
  return logit === 0 ? 0.5 : 1 / (1 + Math.exp(-logit))
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
