import type { Json } from '../../../json/json'
import type { EngineQuestion } from '../../contract/engine'
import { complaint, feelingOf, praise } from './feeling'
import { mostTerms } from './instructions'
import type { Places } from './places'
import { readJson } from './read-json'
import { readTerms } from './terms'
import type { Weights } from './weights'

/**
 * The words of one option (a label or a level). `counts` holds how often each stem occurs, as a negative number
 * where the word is negated; `length` is the number of words.
 */
interface Option {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/**
 * The options of a question: its labels, its levels, or what it says of yes and of no. A word of a label counts
 * as much as `labelWeight` words of its description.
 */
export const optionsOf = (question: EngineQuestion, labelWeight: number): ReadonlyArray<Option> => {
  switch (question.type) {
    case 'noul':
      return [question.criteria?.true, question.criteria?.false].map(described)
    case 'choice':
      return question.criteria.map(([label, text]) => labelled(label, text, labelWeight))
    case 'score':
      return question.criteria.map(described)
  }
}

/** The words of a description; none where there is no description. */
const described = (description: Json | undefined): Option => labelled('', description ?? null, 1)

/** The words of a label and of its description. */
const labelled = (label: string, description: Json | null, labelWeight: number): Option => {
  const counts = new Map<string, number>()
  let length = 0
  const add = (weight: number) => (stem: string, negated: boolean) => {
    const count = counts.get(stem)
    if (count !== undefined || counts.size < mostTerms)
      counts.set(stem, (count ?? 0) + (negated ? -weight : weight))
    length += weight
  }
  readTerms(label, 0, add(labelWeight))
  if (description !== null) readJson(description, add(1))
  return { counts, length }
}

/**
 * How much the words of an option have to praise or complain on average, in points of the lexicon, so that the option
 * stands for praise or complaint and does not merely have such a word: as `great` and `the guest likes it` do, and
 * `a bug fix, so that something works now` does not.
 */
const leastFeeling = 1

/**
 * Adds the artificial stem for praise or for complaint to options that praise or complain. The options stay
 * unchanged in two cases. Unless one praises and another complains, the stem would not tell them apart. Where
 * fewer than half do either, they are topics, of which a few have names that the lexicon happens to rate.
 */
const withFeelings = (options: ReadonlyArray<Option>): ReadonlyArray<Option> => {
  const feelings = options.map(({ counts, length }) => {
    let sum = 0
    for (const [stem, count] of counts) sum += count * feelingOf(stem)
    return Math.abs(sum) < leastFeeling * length ? 0 : sum
  })
  const praising = feelings.filter((feeling) => feeling > 0).length
  const complaining = feelings.filter((feeling) => feeling < 0).length
  if (Math.min(praising, complaining) === 0) return options
  if (2 * (praising + complaining) < options.length) return options
  return options.map((option, i) => {
    const feeling = feelings[i] ?? 0
    return feeling === 0
      ? option
      : { ...option, counts: new Map([...option.counts, [feeling > 0 ? praise : complaint, 1]]) }
  })
}

/** One word of an option. `weight` is how much it counts for the option where the state contains it. */
interface Clue {
  readonly stem: string
  readonly negated: boolean
  readonly weight: number
}

/**
 * The words of each option with their BM25 weights. BM25 ranks documents for a query. Here the options are the
 * documents, so a word that all options share weighs nothing.
 */
const cluesOf = (
  options: ReadonlyArray<Option>,
  weights: Weights,
  caution: number,
): ReadonlyArray<ReadonlyArray<Clue>> => {
  const average = options.reduce((sum, option) => sum + option.length, 0) / options.length || 1
  const frequency = new Map<string, number>()
  for (const { counts } of options) {
    for (const [stem, count] of counts) {
      const signed = count < 0 ? `-${stem}` : stem
      frequency.set(signed, (frequency.get(signed) ?? 0) + 1)
    }
  }
  return options.map(({ counts, length }) => {
    const norm = weights.k1 * (1 - weights.b + (weights.b * length) / average)
    return [...counts].map(([stem, count]) => {
      const negated = count < 0
      const held = frequency.get(negated ? `-${stem}` : stem) ?? 1
      const rarity = Math.log((options.length + 0.5) / (held + 0.5))
      const size = Math.abs(count)
      const within = (size * (weights.k1 + 1)) / (size + norm)
      const trust = stem === praise || stem === complaint ? weights.feeling : 1 / caution
      return { stem, negated, weight: trust * rarity * within }
    })
  })
}

/**
 * The BM25 score of each option, with the state as the query. `focus` gives the weight of a sentence of the
 * state. A word that is negated in either the state or the option, but not in both, counts against the option.
 * The weights of all words are divided by `caution`, except those for praise and complaint. All scores are zero
 * where no words match.
 */
export const rank = (
  options: ReadonlyArray<Option>,
  state: Places,
  focus: (sentence: number) => number,
  weights: Weights,
  caution: number,
): ReadonlyArray<number> =>
  cluesOf(withFeelings(options), weights, caution).map((clues) => {
    let score = 0
    for (const { stem, negated, weight } of clues) {
      const places = state.get(stem)
      if (places !== undefined) score += weight * agreement(places, negated, focus, weights)
    }
    return score
  })

/**
 * How often the state has a word in the option's sense, minus how often it has it negated. Each further
 * occurrence adds less than the one before.
 */
const agreement = (
  places: ReadonlyArray<number>,
  negated: boolean,
  focus: (sentence: number) => number,
  { k3, negation }: Weights,
): number => {
  let same = 0
  let opposite = 0
  for (const place of places) {
    const weight = focus(place >> 1)
    if ((place & 1) === (negated ? 1 : 0)) same += weight
    else opposite += weight
  }
  const saturated = (count: number): number => (count * (k3 + 1)) / (count + k3)
  return saturated(same) - negation * saturated(opposite)
}
