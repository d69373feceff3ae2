import * as E from 'fp-ts/Either'
import { plainText, print } from '../codec/json/draft'
import type { JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'
import type { RequestQuestion } from '../codec/question'
import type { PageField, PageOption, PageQuestion } from './protocol'

/** Describes a question for the page. Returns `undefined` if svc does not know the type of the question. */
export const describeQuestion = (
  id: string,
  question: RequestQuestion,
): PageQuestion | undefined => {
  if (question.type === 'other') return undefined
  const text = formatContent(question.instructions) || id
  return { id, type: question.type, text, options: listOptions(question) }
}

const listOptions = (
  question: Exclude<RequestQuestion, { readonly type: 'other' }>,
): ReadonlyArray<PageOption> => {
  switch (question.type) {
    // A yes/no question.
    case 'noul': {
      const { criteria } = question
      return [
        { value: 'yes', name: 'Yes', description: formatContent(criteria?.true) },
        { value: 'no', name: 'No', description: formatContent(criteria?.false) },
      ]
    }
    case 'choice':
      return (question.criteria ?? []).map(([label, description]) => ({
        value: label,
        name: label,
        description: formatContent(description),
      }))
    case 'score':
      return (question.criteria ?? []).map((level, i) => ({
        value: String(i),
        name: formatContent(level),
        description: '',
      }))
  }
}

/** Formats an instruction or a criterion of the questions file; `''` if it is absent or null. */
const formatContent = (content: JsonValue | undefined): string =>
  content === null || content === undefined ? '' : plainText(content)

/**
 * Describes a row, a map from columns to cells, for the page. A cell with a JSON object becomes one field for each member. A
 * single field gets no name. Empty cells are left out, and the id, which the page shows elsewhere. To avoid a bias, the page also hides
 * what svc or a person added to the row. `imageFields` are the names of the columns and members that hold the path of an image.
 */
export const describeRow = (
  row: ReadonlyMap<string, string>,
  questions: ReadonlyArray<PageQuestion>,
  imageFields: ReadonlyArray<string>,
): ReadonlyArray<PageField> => {
  const isHidden = (column: string): boolean =>
    // The position of the row in the run, its id, and the probability with which it was drawn.
    ['index', 'id', 'p'].includes(column) ||
    // Answers, such as `urgent` or `urgent.top`, and the labels and notes of a person.
    questions.some(({ id }) => column === id || column.startsWith(`${id}.`)) ||
    // Columns of questions that this session does not ask.
    /\.(label|again|note)$/.test(column)
  const shownCells = [...row].filter(([column, text]) => text !== '' && !isHidden(column))
  const fields: PageField[] = []
  for (const [column, text] of shownCells) {
    const members = parseMembers(text)
    // The members of a single cell need no column to tell them from those of other cells.
    const prefix = shownCells.length === 1 ? '' : `${column}.`
    for (const field of members ?? [{ name: column, text, format: 'text' as const }]) {
      const isImage = field.format === 'text' && imageFields.includes(field.name)
      const name = members === undefined ? column : prefix + field.name
      fields.push({ name, text: field.text, format: isImage ? 'image' : field.format })
    }
  }
  return fields.length === 1 ? fields.map((field) => ({ ...field, name: '' })) : fields
}

/** Parses a JSON object as fields. Returns `undefined` for any other text. */
const parseMembers = (text: string): ReadonlyArray<PageField> | undefined => {
  if (!text.startsWith('{')) return undefined
  const parsed = parseText(text)
  if (E.isLeft(parsed) || !(parsed.right instanceof Map)) return undefined
  return Array.from(parsed.right, ([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : print(value, true).toString(),
    format: value instanceof Map || Array.isArray(value) ? ('json' as const) : ('text' as const),
  }))
}
