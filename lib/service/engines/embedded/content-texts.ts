import { isArray, isObject, type JsonValue, Literal } from '../../../codec/json/json'
import type { EngineQuestion } from '../../contract/engine'

/**
 * Lists the texts of a content value, such as the state, in the order of the document: its strings, its numbers, and the names of members
 * that are a number or `true`. `{"is_paid": true}` has the text `is paid`. Other names say nothing about the content.
 */
export const listContentTexts = (content: JsonValue): ReadonlyArray<string> => {
  const texts: string[] = []
  const visit = (value: JsonValue): void => {
    if (typeof value === 'string') texts.push(value)
    else if (value instanceof Literal) texts.push(value.text)
    else if (isArray(value)) value.forEach(visit)
    else if (isObject(value)) for (const [name, member] of value) visitMember(name, member)
  }
  const visitMember = (name: string, member: JsonValue): void => {
    if (member === true || member instanceof Literal) texts.push(spellOut(name))
    visit(member)
  }
  visit(content)
  return texts
}

/** The texts that a question compares with the state. */
export interface ComparableQuestion {
  readonly type: EngineQuestion['type']
  readonly instructions: string
  /** The labels with their descriptions, the levels, or the criteria of a noul for no and yes. A noul without criteria has none. */
  readonly options: ReadonlyArray<string>
}

/** Reads the texts of a question. A `noul` is a yes/no question. */
export const readComparableQuestion = (question: EngineQuestion): ComparableQuestion => ({
  type: question.type,
  instructions: joinTexts(question.instructions),
  options: listOptionTexts(question),
})

const listOptionTexts = (question: EngineQuestion): ReadonlyArray<string> => {
  switch (question.type) {
    case 'noul':
      return question.criteria === undefined
        ? []
        : [question.criteria.false, question.criteria.true].map(joinTexts)
    case 'choice':
      return question.criteria.map(
        ([label, description]) => `${spellOut(label)}: ${joinTexts(description)}`,
      )
    case 'score':
      return question.criteria.map(joinTexts)
  }
}

const joinTexts = (content: JsonValue | null | undefined): string =>
  content === undefined ? '' : listContentTexts(content).join('\n')

/** Writes a label or a name as words: `top_up_failed` and `topUpFailed` become `top up failed`. */
const spellOut = (name: string): string =>
  name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_/-]+/g, ' ')

/** Words of yes/no questions that say nothing about a state: function words, and names of the state. */
const questionWords = new Set(
  `is are was were does do did has have had this that these those the a an of in on to for and or it its there any be been being by
  with about as at from i you he she they we what which who how text message article tweet issue ticket review state content
  question topic person author user customer writer follow follows`.split(/\s+/),
)

/** Matches a name in backquotes, which refers to a member of the state. */
const quotedName = /`[\p{L}\p{N}][^`]{0,99}`/gu

/** Returns the content words of the instructions of a yes/no question, or all of them if they have no content words. */
export const readContentWords = (instructions: string): string => {
  const text = instructions.replace(quotedName, ' ')
  const words = text.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? []
  return words.filter((word) => !questionWords.has(word)).join(' ') || text
}

/** A longer word counts as several words. This bounds the time for a text without blanks. */
const maxWordLength = 40

/** The first character of the Chinese and Japanese scripts. This character and all later ones count as a word each. */
const firstIdeograph = 0x2e80

/**
 * Counts the words of a text approximately. Digits and characters outside ASCII, below `firstIdeograph`, count as letters. A run of
 * more than 40 letters counts once for every 40 letters begun.
 */
export const estimateWords = (text: string): number => {
  let count = 0
  let wordLength = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code >= firstIdeograph) count += 1
    wordLength = isLetterCode(code) ? wordLength + 1 : 0
    // A word begins at the first letter of a run, and again after every 40 letters.
    if (wordLength % maxWordLength === 1) count += 1
  }
  return count
}

const isLetterCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x80 && code < firstIdeograph)
