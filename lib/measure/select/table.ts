import type { Answer } from '../../codec/answer'
import { type JsonValue, memberIn, valuesOf } from '../../codec/json/json'
import { leadOf } from '../../codec/probabilities'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { cellsOf, writeCsvLine } from '../../runs/rows/csv'
import { distributionOf } from '../decision'
import { groupOf, idOf } from '../names'
import { roundNumbers } from '../numbers'
import { outcomeIn } from './select'

/** A record that was kept, and its row of the input where that is read. */
export interface Kept {
  readonly record: RunRecord
  readonly row: JsonValue | undefined
}

/**
 * Writes records as a CSV table. Its columns are those of the first row of the input (else index, id and group), then
 * for each question of the first answered record the answer, the probability of what was decided, the outcome of a policy
 * where records have one, and the label, and last the error. Records before the first answered one wait for it. R29
 */
export const createTable = () => {
  let columns: Columns | undefined
  let waiting: Kept[] = []

  const writeRow = (kept: Kept, known: Columns): string => writeCsvLine(cellsOfKept(kept, known))
  const begin = (known: Columns): string => {
    columns = known
    const lines = waiting.map((kept) => writeRow(kept, known))
    waiting = []
    return writeCsvLine(headerOf(known)) + lines.join('')
  }
  return {
    /** Returns the lines that a record adds, or what is wrong with it. */
    add: (kept: Kept): { readonly lines: string } | { readonly fault: string } => {
      const { record } = kept
      if (columns !== undefined) {
        const fault = findUnknown(kept, columns)
        return fault === undefined ? { lines: writeRow(kept, columns) } : { fault }
      }
      waiting.push(kept)
      return { lines: isAnswered(record.outcome) ? begin(columnsOf(waiting)) : '' }
    },
    /** Returns the lines that are left. Where no answered record was kept, the columns are those of `passed`. */
    finish: (passed: Kept | undefined): string => {
      if (columns !== undefined) return ''
      return begin(columnsOf(passed === undefined ? waiting : [...waiting, passed]))
    },
  }
}

interface Columns {
  /** The columns of the input; `undefined` where it is not read. */
  readonly row: ReadonlyArray<string> | undefined
  readonly questions: ReadonlyArray<string>
  readonly hasPolicy: boolean
}

const columnsOf = (kept: ReadonlyArray<Kept>): Columns => {
  const rows = kept.flatMap(({ row }) => (row === undefined ? [] : [row]))
  const last = kept.at(-1)?.record
  const answers = last !== undefined && isAnswered(last.outcome) ? last.outcome.answers : new Map()
  return {
    row:
      rows.length === 0
        ? undefined
        : [...new Set(rows.flatMap((row) => cellsOf(row).map(([name]) => name)))],
    questions: [...answers.keys()],
    hasPolicy: last !== undefined && memberIn(last.document, 'policy') !== undefined,
  }
}

const headerOf = ({ row, questions, hasPolicy }: Columns): ReadonlyArray<string> => [
  ...(row ?? ['index', 'id', 'group']),
  ...questions.flatMap((id) => [
    id,
    `${id}.top`,
    ...(hasPolicy ? [`${id}.outcome`] : []),
    `${id}.label`,
  ]),
  'error',
]

/** Names what a record has that no column is for; `undefined` where there is a column for everything. */
const findUnknown = ({ record, row }: Kept, columns: Columns): string | undefined => {
  const field =
    row === undefined ? undefined : cellsOf(row).find(([name]) => !columns.row?.includes(name))?.[0]
  if (field !== undefined)
    return `its row has a field "${field}", which the first row does not have`
  if (!isAnswered(record.outcome)) return undefined
  const id = [...record.outcome.answers.keys()].find((one) => !columns.questions.includes(one))
  return id === undefined ? undefined : `answers "${id}", which the first answered row does not`
}

const cellsOfKept = (
  { record, row }: Kept,
  { row: columns, questions, hasPolicy }: Columns,
): ReadonlyArray<string> => {
  const given = new Map(row === undefined ? [] : cellsOf(row))
  const head =
    columns === undefined
      ? [String(record.index), idOf(record) ?? '', groupOf(record) ?? '']
      : columns.map((name) => given.get(name) ?? '')
  const policy = hasPolicy ? memberIn(record.document, 'policy') : undefined
  const outcomes = policy === undefined ? new Map<string, JsonValue>() : valuesOf(policy)
  const { outcome } = record
  const cells = questions.flatMap((id) => {
    const answer = isAnswered(outcome) ? outcome.answers.get(id) : undefined
    const judged = outcomes.get(id)
    const label = record.labels.get(id)
    return [
      ...cellsOfAnswer(answer),
      ...(hasPolicy ? [judged === undefined ? '' : (outcomeIn(judged)?.outcome ?? '')] : []),
      label === undefined ? '' : String(label),
    ]
  })
  const error = isAnswered(outcome) ? '' : `${outcome.error.kind}: ${outcome.error.message}`
  return [...head, ...cells, error]
}

/** The answer (P(yes), label or score) and the probability of what is likeliest. */
const cellsOfAnswer = (answer: Answer | undefined): readonly [answer: string, top: string] => {
  if (answer === undefined || answer.type === 'other') return ['', '']
  if (answer.type === 'refusal') return ['refusal', '']
  const top = leadOf(distributionOf(answer))?.top
  const value =
    answer.type === 'noul' ? answer.noul : answer.type === 'choice' ? answer.choice : answer.score
  return [String(value), top === undefined ? '' : String(roundNumbers(top))]
}
