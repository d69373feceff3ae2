import * as E from 'fp-ts/Either'
import { plainText, print } from '../codec/json/draft'
import type { JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'
import type { RequestQuestion } from '../codec/question'
import { parseYesNo } from '../runs/rows/row'
import type { PageField, PageOption, PageQuestion } from './protocol'

/** Describes a question for the page; `undefined` if svc does not know its type, and so not its answers. */
export const describeQuestion = (
  id: string,
  question: RequestQuestion,
): PageQuestion | undefined => {
  if (question.type === 'other') return undefined
  const text = describeContent(question.instructions) || id
  return { id, text, options: listOptions(question) }
}

const listOptions = (
  question: Exclude<RequestQuestion, { readonly type: 'other' }>,
): ReadonlyArray<PageOption> => {
  switch (question.type) {
    case 'noul': {
      const { criteria } = question
      return [
        { value: 'yes', name: 'Yes', description: describeContent(criteria?.true) },
        { value: 'no', name: 'No', description: describeContent(criteria?.false) },
      ]
    }
    case 'choice':
      return (question.criteria ?? []).map(([label, description]) => ({
        value: label,
        name: label,
        description: describeContent(description),
      }))
    case 'score':
      return (question.criteria ?? []).map((level, i) => ({
        value: String(i),
        name: describeContent(level),
        description: '',
      }))
  }
}

const describeContent = (content: JsonValue | undefined): string =>
  content === null || content === undefined ? '' : plainText(content)

/** Reads a label as a spreadsheet may have written it: `TRUE` is `yes`, `2.0` is `2`. */
export const readLabel = ({ options }: PageQuestion, text: string): string => {
  if (options.some(({ value }) => value === text)) return text
  const isYes = options[0]?.value === 'yes' ? parseYesNo(text) : undefined
  if (isYes !== undefined) return isYes ? 'yes' : 'no'
  return text.replace(/\.0+$/, '')
}

/**
 * Lays out a row for reading, without empty cells. To avoid a bias, it leaves out answers, labels, notes and the chance with
 * which the row was drawn. A JSON object becomes one field for each member, and a single text gets no name.
 */
export const describeRow = (
  row: ReadonlyMap<string, string>,
  questions: ReadonlyArray<PageQuestion>,
): ReadonlyArray<PageField> => {
  const isHidden = (column: string): boolean =>
    ['index', 'p'].includes(column) ||
    questions.some(({ id }) => column === id || column.startsWith(`${id}.`)) ||
    /\.(label|again|note)$/.test(column)
  const shown = [...row].filter(([column, text]) => text !== '' && !isHidden(column))
  const fields: PageField[] = []
  for (const [column, text] of shown) {
    const members = readMembers(text)
    const prefix = shown.length === 1 ? '' : `${column}.`
    if (members === undefined) fields.push({ name: column, text })
    else for (const member of members) fields.push({ ...member, name: prefix + member.name })
  }
  const [only] = fields
  return fields.length === 1 && only !== undefined ? [{ name: '', text: only.text }] : fields
}

/** Reads the members of a JSON object; `undefined` for any other text. */
const readMembers = (text: string): ReadonlyArray<PageField> | undefined => {
  if (!text.startsWith('{')) return undefined
  const parsed = parseText(text)
  if (E.isLeft(parsed) || !(parsed.right instanceof Map)) return undefined
  return Array.from(parsed.right, ([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : print(value, true).toString(),
  }))
}
