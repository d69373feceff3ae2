import { plainText } from '../codec/json/draft'
import type { JsonValue } from '../codec/json/json'
import type { RequestQuestion } from '../codec/question'
import { parseYesNo } from '../runs/rows/row'
import type { PageQuestion } from './protocol'

/** Returns a text unchanged, and other content as JSON. */
const describeContent = (content: JsonValue | null | undefined): string => {
  if (content === null || content === undefined) return ''
  return plainText(content)
}

/** Describes a question for the page; `undefined` if svc does not know its type, and so not its answers. */
export const describeQuestion = (
  id: string,
  question: RequestQuestion,
): PageQuestion | undefined => {
  switch (question.type) {
    case 'noul': {
      const { criteria } = question
      return {
        id,
        text: describeContent(question.instructions) || id,
        options: [
          { value: 'yes', name: 'Yes', description: describeContent(criteria?.true) },
          { value: 'no', name: 'No', description: describeContent(criteria?.false) },
        ],
      }
    }
    case 'choice':
      return {
        id,
        text: describeContent(question.instructions) || id,
        options: (question.criteria ?? []).map(([label, description]) => ({
          value: label,
          name: label,
          description: describeContent(description),
        })),
      }
    case 'score':
      return {
        id,
        text: describeContent(question.instructions) || id,
        options: (question.criteria ?? []).map((level, i) => ({
          value: String(i),
          name: describeContent(level),
          description: '',
        })),
      }
    case 'other':
      return undefined
  }
}

/** Reads a label as a spreadsheet may have written it: `TRUE` is `yes`, `2.0` is `2`. */
export const readLabel = ({ options }: PageQuestion, text: string): string => {
  if (options.some(({ value }) => value === text)) return text
  const isYes = options[0]?.value === 'yes' ? parseYesNo(text) : undefined
  if (isYes !== undefined) return isYes ? 'yes' : 'no'
  return text.replace(/\.0+$/, '')
}
