import * as E from 'fp-ts/Either'
import { plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import { cutWithEllipsis } from '../../text/sanitize'
import { suggestQuoted } from '../../text/suggestion'
import type { Label } from '../record/decode'

/** The labels that a question takes. */
export type LabelRange =
  | { readonly type: 'noul' }
  /** `labels` are those that are known. If the list is not complete, any other text is a label too. */
  | {
      readonly type: 'choice'
      readonly labels: ReadonlyArray<string>
      readonly isComplete: boolean
    }
  /** `levelNames` are the texts of the levels, if they are known. A label can be one of them, or the index of a level. */
  | {
      readonly type: 'score'
      readonly levelCount: number
      readonly levelNames?: ReadonlyArray<string>
    }
  | { readonly type: 'other' }

/** Returns what a question of a request takes as a label. */
export const labelRangeOf = (question: RequestQuestion): LabelRange => {
  switch (question.type) {
    case 'noul':
    case 'other':
      return { type: question.type }
    case 'choice': {
      const labels = (question.criteria ?? []).map(([label]) => label)
      return { type: 'choice', labels, isComplete: true }
    }
    case 'score':
      return { type: 'score', levelCount: question.criteria?.length ?? 0 }
  }
}

/** A label field of a row, and the question that it is for. */
interface LabelPlace {
  readonly field: string
  readonly questionId: string
  readonly range: LabelRange
}

/**
 * Reads the label in a field; `undefined` if the field is absent, null, empty or blank. Fails with a message that names the value, what is
 * allowed, and the nearest label. This is the only reader of labels that people give in tables.
 */
export const readLabel = (
  value: JsonValue | undefined,
  { field, questionId, range }: LabelPlace,
): E.Either<string, Label | undefined> => {
  if (value === undefined || value === null) return E.right(undefined)
  const isScalar = !(value instanceof Map) && !Array.isArray(value)
  const text = isScalar ? plainText(value).trim().normalize('NFC') : undefined
  if (text === '') return E.right(undefined)
  const label = text === undefined ? undefined : parseLabel(text, range)
  if (label !== undefined) return E.right(label)
  const shownValue = text === undefined ? 'an object or array' : `"${cut(text)}"`
  const suggestion = text === undefined ? '' : suggestQuoted(text, listSuggestions(range))
  return E.left(
    `the field "${field}" is ${shownValue}, which is not a label of "${questionId}": it takes ${describeLabels(range)}${suggestion}`,
  )
}

/** Parses a label, which has no blanks around it; `undefined` if the question does not take it. */
const parseLabel = (text: string, range: LabelRange): Label | undefined => {
  switch (range.type) {
    case 'noul':
      return parseYesNo(text)
    case 'choice':
      return findLabel(text, range.labels) ?? (range.isComplete ? undefined : text)
    case 'score': {
      const number = dropZeroDecimals(text)
      const isLevel = /^\d{1,3}$/.test(number) && Number(number) < range.levelCount
      if (isLevel) return Number(number)
      const namedLevel = (range.levelNames ?? []).findIndex(
        (name) => name.trim().normalize('NFC') === text,
      )
      return namedLevel === -1 ? undefined : namedLevel
    }
    case 'other':
      return text
  }
}

/** Finds the label that has a text, in the spelling of the question. The text `2.0` is the label `2` unless `2.0` is a label too. */
const findLabel = (text: string, labels: ReadonlyArray<string>): string | undefined => {
  if (labels.includes(text)) return text
  const find = (wanted: string) => labels.find((label) => label.trim().normalize('NFC') === wanted)
  return find(text) ?? find(dropZeroDecimals(text))
}

/** Removes the decimals of a whole number: `1.0` becomes `1`. pandas and spreadsheets write them if a column also has empty cells. */
const dropZeroDecimals = (text: string): string => text.replace(/^(\d+)\.0+$/, '$1')

/** The words for yes and no in English, and those that spreadsheets write in German, French and Spanish. */
const yesWords = 'true 1 yes y wahr ja vrai oui verdadero sí si'.split(' ')
const noWords = 'false 0 no n falsch nein faux non falso'.split(' ')

/** Parses a word for yes or no, which is in NFC, in any letter case; `undefined` for any other text. */
const parseYesNo = (text: string): boolean | undefined => {
  const word = dropZeroDecimals(text.toLowerCase())
  if (yesWords.includes(word)) return true
  return noWords.includes(word) ? false : undefined
}

/** The maximum number of characters of a value or label in a message. */
const maxShownCharacters = 60

/** The maximum number of labels in a message. */
const maxListedLabels = 8

const cut = (text: string): string => cutWithEllipsis(text, maxShownCharacters)

/** Describes the labels of a question, such as `0 to 4`. */
export const describeLabels = (range: LabelRange): string => {
  switch (range.type) {
    case 'noul':
      return 'true, false, yes, no, 1 or 0'
    case 'choice': {
      const labels = range.labels.slice(0, maxListedLabels).map((label) => `"${cut(label)}"`)
      const more =
        range.labels.length > maxListedLabels
          ? ` and ${range.labels.length - maxListedLabels} more`
          : ''
      return `${labels.join(', ')}${more}`
    }
    case 'score':
      return `0 to ${range.levelCount - 1}`
    case 'other':
      return 'a text'
  }
}

/** Lists the labels that a message may suggest. Digits and single letters are too short to be mistyped. */
const listSuggestions = (range: LabelRange): ReadonlyArray<string> => {
  if (range.type === 'choice') return range.labels
  return range.type === 'noul' ? [...yesWords, ...noWords].filter(({ length }) => length > 1) : []
}
