import type { Draft } from '../../codec/json/draft'
import { type JsonValue, membersIn } from '../../codec/json/json'
import {
  countBrokenTexts,
  formatCells,
  formatCsvHeader,
  formatCsvLine,
  labelSuffix,
  nameInputColumns,
} from '../../runs/tables/guards'
import { repeatLabelSuffix } from '../labels/label-table'
import type { SampledRow } from './sample'

/** The members of a record that come before the labels. */
const leadingMembers = ['index', 'run', 'id', 'group']

/** The members of a record that the sample replaces. */
const replacedMembers = ['labels', 'p', 'row']

/**
 * Encodes a sampled record for labelling. `labels` has a member for each question, which is null if there is no label yet. `row`,
 * the row of the input, is the last member.
 */
export const encodeSampledRow = (
  { index, record, questions, labels, p }: SampledRow,
  row: Draft | undefined,
): Draft => {
  const members = membersIn(record)
  const encoded = new Map<string, Draft>()
  if (!members.has('index')) encoded.set('index', index)
  for (const [name, value] of members) if (leadingMembers.includes(name)) encoded.set(name, value)
  encoded.set('labels', new Map<string, Draft>(questions.map((id) => [id, labels.get(id) ?? null])))
  encoded.set('p', p)
  for (const [name, value] of members)
    if (!leadingMembers.includes(name) && !replacedMembers.includes(name)) encoded.set(name, value)
  if (row !== undefined) encoded.set('row', row)
  return encoded
}

/** Spreadsheets read a table as UTF-8 if it begins with this character. */
export const byteOrderMark = '\ufeff'

/** A sample as a table for labelling. */
export interface SampleTable {
  readonly text: string
  /** The number of cells with a lone surrogate, which are written with U+FFFD in its place. */
  readonly brokenTexts: number
}

/**
 * Formats a sample as a CSV table for labelling. Its columns are `index`, `id` if any row has one, `p` (the chance with which the
 * row was drawn), the fields of the input, and `<question>.label` for each question. A field with the name of a column that svc or a
 * person fills in gets the prefix `input.`. Labels that are not known yet are empty cells. `--labels` reads the table.
 */
export const tabulateSample = (
  sample: ReadonlyArray<SampledRow>,
  inputRows: ReadonlyMap<number, JsonValue>,
): SampleTable => {
  const hasId = sample.some(({ id }) => id !== undefined)
  const questions = [...new Set(sample.flatMap((row) => row.questions))]
  const recordColumns = hasId ? ['index', 'id', 'p'] : ['index', 'p']
  const labelColumns = questions.map((id) => `${id}${labelSuffix}`)
  const fieldsByRow = sample.map(({ index }) => {
    const inputRow = inputRows.get(index)
    return new Map(inputRow === undefined ? [] : formatCells(inputRow))
  })
  const fields = new Set(fieldsByRow.flatMap((cells) => [...cells.keys()]))
  // The ids of the records are usually those of the field `id`. The table then needs them only once.
  if (hasId && sample.every(({ id = '' }, i) => (fieldsByRow[i]?.get('id') ?? '') === id))
    fields.delete('id')
  const fieldNames = [...fields]
  const ownColumns = [...recordColumns, ...questions.flatMap(listPersonColumns)]
  const header = [...recordColumns, ...nameInputColumns(fieldNames, ownColumns), ...labelColumns]
  const lines = sample.map(({ index, id = '', p, labels }, i) => [
    String(index),
    ...(hasId ? [id] : []),
    p === null ? '' : String(p),
    ...fieldNames.map((name) => fieldsByRow[i]?.get(name) ?? ''),
    ...questions.map((question) => String(labels.get(question) ?? '')),
  ])
  return {
    text: formatCsvHeader(header) + lines.map(formatCsvLine).join(''),
    brokenTexts: countBrokenTexts([header, ...lines].flat()),
  }
}

/** Lists the columns that a person fills in for a question, in a spreadsheet or with svc label. */
const listPersonColumns = (question: string): ReadonlyArray<string> => [
  `${question}${labelSuffix}`,
  `${question}${repeatLabelSuffix}`,
  `${question}.note`,
]
