import type { Distribution, EngineQuestion } from '../../contract/engine'
import { softmax } from '../readout/read-distribution'
import type { Similarity } from './compare-texts'

/** The factors between similarities and log-odds. test/accuracy has the questions on which they were chosen, and others. */
const factors = {
  choice: { cosine: 1 / 0.115, alignment: 0.5 / 0.115 },
  noul: { cosine: 1 / 0.15, alignment: 0.3 / 0.15 },
  score: { cosine: 1 / 0.22, alignment: 0.6 / 0.22 },
} as const

/** The log-odds of yes for a noul without criteria. `constant` is for a state that has nothing in common with the instructions. */
const instructionsFactors = { constant: -1.5, cosine: 2, alignment: 2.5 } as const

/**
 * The shares of letters in known words between which the trust in a text rises from 0 to 1. German, Spanish, Chinese and random letters
 * have less than 0.4, and English has nearly always more than 0.65.
 */
const knownShares = { untrusted: 0.4, trusted: 0.65 } as const

/**
 * Returns the factor for all log-odds about a state: 1 for English, and 0 for a state in a language that the table does not have.
 * `knownShare` is the share of the state's letters in words that the table has as one piece.
 */
export const computeTrust = (knownShare: number): number => {
  const { untrusted, trusted } = knownShares
  return Math.min(1, Math.max(0, (knownShare - untrusted) / (trusted - untrusted)))
}

/**
 * Computes the answer to a question from the similarities of its options to the state. The criteria of a noul, for no and for yes, are
 * its options. All log-odds are multiplied by `trust`: 0 makes every option equally likely.
 */
export const weighOptions = (
  type: EngineQuestion['type'],
  options: ReadonlyArray<Similarity>,
  trust: number,
): Distribution => {
  const { cosine, alignment } = factors[type]
  const logOdds = options.map(
    (option) => trust * (cosine * option.cosine + alignment * option.alignment),
  )
  const probabilities = softmax(logOdds, 1)
  return type === 'noul' ? { type, yes: probabilities[1] ?? 0.5 } : { type, probabilities }
}

/**
 * Computes the answer to a noul without criteria. It is likelier yes, the more of its instructions the state has. If the state negates
 * what the instructions ask about, the answer is no, as surely as it would otherwise be yes.
 */
export const weighInstructions = (
  similarity: Similarity,
  trust: number,
  isNegated: boolean,
): Distribution => {
  const { constant, cosine, alignment } = instructionsFactors
  const affirmed = constant + cosine * similarity.cosine + alignment * similarity.alignment
  const logOdds = trust * (isNegated ? -Math.abs(affirmed) : affirmed)
  return { type: 'noul', yes: 1 / (1 + Math.exp(-logOdds)) }
}
