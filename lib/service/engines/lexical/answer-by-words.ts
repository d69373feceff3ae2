import type { JsonValue } from '../../../codec/json/json'
import type { Distribution, EngineQuestion } from '../../contract/engine'
import { softmax } from '../readout/read-distribution'
import { readInstructions, readWords, textOfContent, type Words } from './words'

/** The texts of a question. A `noul` is a yes/no question. */
export interface QuestionTexts {
  readonly type: EngineQuestion['type']
  readonly instructions: string
  /** The labels with their descriptions, the levels, or the criteria of a noul for yes and no. Empty for a noul without criteria. */
  readonly options: ReadonlyArray<string>
}

export const readQuestionTexts = (question: EngineQuestion): QuestionTexts => ({
  type: question.type,
  instructions: textOrEmpty(question.instructions),
  options: listOptionTexts(question),
})

const listOptionTexts = (question: EngineQuestion): ReadonlyArray<string> => {
  switch (question.type) {
    case 'noul':
      return question.criteria === undefined
        ? []
        : [question.criteria.true, question.criteria.false].map(textOrEmpty)
    case 'choice':
      return question.criteria.map(([label, text]) => `${label}\n${textOrEmpty(text)}`)
    case 'score':
      return question.criteria.map(textOrEmpty)
  }
}

const textOrEmpty = (content: JsonValue | null | undefined): string =>
  content === null || content === undefined ? '' : textOfContent(content)

/**
 * The factors between scores of matching words and log-odds. They are calibrated on questions with known answers: the engine's
 * mean probability is about its share of right answers. test/accuracy has the commands that measure this.
 */
const logOddsFactors = { instructions: 2, noul: 4, choice: 2, score: 2 } as const

/**
 * Answers one question by comparing its words with the words of the state. An option that has more words in common with the state is
 * likelier. The criteria of a noul are its options. If the criteria have equal scores, or if a noul has none, the answer depends on the
 * share of the instructions' words in the state. If no words match, the answer is exactly 0.5 or uniform.
 */
export const answerByWords = (
  { type, instructions, options }: QuestionTexts,
  state: Words,
): Distribution => {
  const scores = scoreOptions(options.map(readWords), state)
  if (type !== 'noul') return { type, probabilities: softmax(scores, 1 / logOddsFactors[type]) }
  const [yes = 0, no = 0] = scores
  const logOdds =
    yes === no
      ? logOddsFactors.instructions * computeShareInState(readInstructions(instructions), state)
      : logOddsFactors.noul * (yes - no)
  return { type, yes: logOdds === 0 ? 0.5 : 1 / (1 + Math.exp(-logOdds)) }
}

/**
 * Scores each option by the words that it has in common with the state:
 * - A word has the weight ln(number of options / number of options with the word): 0 for a word in all options.
 * - Further occurrences in the state add less and less.
 * - A word that is negated in the option or in the state, but not in both, counts negatively.
 * - The sum is divided by the square root of the number of the option's words, because long options match more easily.
 */
const scoreOptions = (options: ReadonlyArray<Words>, state: Words): ReadonlyArray<number> => {
  /** The number of options with each word. */
  const optionCounts = new Map<string, number>()
  for (const words of options)
    for (const word of words.keys()) optionCounts.set(word, (optionCounts.get(word) ?? 0) + 1)
  return options.map((words) => {
    let score = 0
    // A count is negative if the word is negated.
    for (const [word, count] of words) {
      const rarity = Math.log(options.length / (optionCounts.get(word) ?? 1))
      score += Math.sign(count) * rarity * damp(state.get(word) ?? 0)
    }
    return score / Math.sqrt(Math.max(1, words.size))
  })
}

/** Damps a number of occurrences: 1 stays 1, and large numbers approach 2. Keeps the sign. */
const damp = (count: number): number => (2 * count) / (Math.abs(count) + 1)

/**
 * Computes the share of the instructions' words that occur in the state, 0 to 1. If words are negated in only one of the two texts,
 * returns the share of these words as a negative number: "the invoice was not paid" answers "Was the invoice paid?" with no.
 */
const computeShareInState = (instructions: Words, state: Words): number => {
  let affirmedWords = 0
  let deniedWords = 0
  for (const [word, count] of instructions) {
    const agreement = count * (state.get(word) ?? 0)
    if (agreement > 0) affirmedWords += 1
    else if (agreement < 0) deniedWords += 1
  }
  const matchingWords = deniedWords > 0 ? -deniedWords : affirmedWords
  return matchingWords / Math.max(1, instructions.size)
}
