import type { JsonValue } from '../../../codec/json/json'
import type { Distribution, EngineQuestion } from '../../contract/engine'
import { softmax } from '../readout/read-distribution'
import { readInstructions, readWords, textOfContent, type Words } from './words'

/** A question as the engine sees it: the text of its instructions, and the text of each of its options. */
export interface QuestionTexts {
  readonly type: EngineQuestion['type']
  readonly instructions: string
  /** The labels with their descriptions, the levels, or a noul's criteria for yes and no. */
  readonly options: ReadonlyArray<string>
}

/** Reads the texts of a question. */
export const readTextsOf = (question: EngineQuestion): QuestionTexts => ({
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
 * The factors that turn matching words into log-odds. They are round numbers, chosen so that the engine's
 * probabilities are about as high as its share of right answers on labelled rows. test/accuracy has the commands that
 * measure this.
 */
const logOddsFactors = { instructions: 2, noul: 4, choice: 2, score: 2 } as const

/**
 * Answers one question by comparing its words with those of the state. A choice or a score takes the option that
 * shares most words with the state. A noul compares its criteria in the same way. If these share no words with the
 * state, yes is as likely as the share of the instructions' words in the state. If no words match, the answer is
 * exactly 0.5 or uniform.
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
 * Scores each option by the words that it shares with the state. A word counts ln(options / options that have it), so
 * a word of all options counts 0; each further occurrence in the state adds less than the previous one. The sum is
 * divided by the square root of the number of the option's words, because long options match more easily. A word that
 * is negated in only one of option and state counts against the option.
 */
const scoreOptions = (options: ReadonlyArray<Words>, state: Words): ReadonlyArray<number> => {
  const optionCounts = new Map<string, number>()
  for (const words of options)
    for (const word of words.keys()) optionCounts.set(word, (optionCounts.get(word) ?? 0) + 1)
  return options.map((words) => {
    let score = 0
    for (const [word, count] of words) {
      const rarity = Math.log(options.length / (optionCounts.get(word) ?? 1))
      score += Math.sign(count) * rarity * damp(state.get(word) ?? 0)
    }
    return score / Math.sqrt(Math.max(1, words.size))
  })
}

/** Damps a number of occurrences: 1 stays 1, and no number becomes more than 2. */
const damp = (count: number): number => (2 * count) / (Math.abs(count) + 1)

/**
 * Computes the share of words that the state has: 0 to 1. If the state negates some of them, only their share counts,
 * below 0: "the invoice was not paid" says no to "Was the invoice paid?".
 */
const computeShareInState = (instructions: Words, state: Words): number => {
  let affirmed = 0
  let denied = 0
  for (const [word, count] of instructions) {
    const agreement = count * (state.get(word) ?? 0)
    if (agreement > 0) affirmed += 1
    else if (agreement < 0) denied += 1
  }
  return (denied > 0 ? -denied : affirmed) / Math.max(1, instructions.size)
}
