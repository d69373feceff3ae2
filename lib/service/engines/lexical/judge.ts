import type { Distribution, EngineQuestion } from '../../contract/engine'
import { softmax } from '../readout/softmax'
import { readInstructions } from './instructions'
import { optionsOf, rank } from './options'
import { focusOf, type Overlap, overlap } from './sentences'
import type { State } from './state'
import type { Weights } from './weights'

/**
 * Answers one question. Instructions that name members of the state in backquotes
 * (``Is `ticket` about …``) are judged by those members alone, and the names themselves are no evidence. D39
 */
export const judge = (question: EngineQuestion, state: State, weights: Weights): Distribution => {
  const { named, terms } = readInstructions(question.instructions, state.isMember)
  const places = state.placesIn(named)
  const shared = overlap(terms, places)
  const focus = focusOf(shared, weights.focus)
  const options = optionsOf(question, weights.label)
  const scores = rank(options, places, focus, weights, weights.caution[question.type])
  switch (question.type) {
    case 'noul': {
      const { criteria } = question
      const [yes = 0, no = 0] = scores
      const both = criteria?.true !== undefined && criteria.false !== undefined
      const stated = both && yes !== no ? 0 : statement(shared, weights)
      const logit = stated / weights.caution.noul + weights.criteria * (yes - no)
      return { type: 'noul', yes: logit === 0 ? 0.5 : 1 / (1 + Math.exp(-logit)) }
    }
    case 'choice':
      return { type: 'choice', probabilities: softmax(scores, 1 / weights.choice) }
    case 'score': {
      const smoothed = smooth(scores, weights.neighbour)
      return { type: 'score', probabilities: softmax(smoothed, 1 / weights.score) }
    }
  }
}

/**
 * How well the state matches a yes/no question, as log-odds of yes. It is based on the sentence that has the
 * largest share of the question's words; a sentence that negates them counts for no.
 */
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

/** Adds to each level's score a share of the scores of its two neighbours. */
const smooth = (scores: ReadonlyArray<number>, share: number): ReadonlyArray<number> =>
  scores.map((own, i) => own + share * ((scores[i - 1] ?? 0) + (scores[i + 1] ?? 0)))
