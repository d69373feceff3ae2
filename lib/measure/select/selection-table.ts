import * as E from 'fp-ts/Either'
import type { Answer } from '../../codec/answer'
import {
  type JsonObject,
  type JsonValue,
  memberIn,
  membersIn,
  stringIn,
} from '../../codec/json/json'
import { findTopAndMargin } from '../../codec/probabilities'
import { readPolicyOutcome } from '../../runs/gate/selection'
import type { PolicyOutcome } from '../../runs/policy/policy'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import {
  countBrokenTexts,
  decisionSuffix,
  formatCells,
  formatCsvHeader,
  formatCsvLine,
  labelSuffix,
  nameInputColumns,
} from '../../runs/tables/guards'
import type { TableColumn } from '../../runs/tables/header'
import { decisionOf, distributionOf, isKnown, type KnownAnswer, nameLabel } from '../decision'
import { groupOf, idOf } from '../labels/labelled-record'

/** A selected record, and its row of the input if `--rows` is passed. */
export interface SelectedRecord {
  readonly record: RunRecord
  readonly row: JsonValue | undefined
  /** The columns of the input if it is a table. */
  readonly inputColumns?: ReadonlyArray<TableColumn> | undefined
}

/** The data that determine the columns of a table. Questions are ids. */
interface TableColumns {
  /** The fields of the input; `undefined` without `--rows`. */
  readonly fields: ReadonlyArray<TableColumn> | undefined
  readonly questions: ReadonlyArray<string>
  readonly questionsWithPolicy: ReadonlySet<string>
  readonly hasLabels: boolean
}

/**
 * Formats records as a CSV table. The first columns are the fields of the input, or index, id and group without `--rows`. For each
 * question of the first answered record, the table has the answer, the decision in words, the largest probability, the result of a
 * policy if that record has one, and the label if `hasLabels`. The last column is the error. A policy decides for each question
 * if an answer is accepted or goes to a person.
 *
 * The lines of records before the first answered one are returned with its line, because it determines the columns.
 */
export class SelectionTable {
  /** The number of cells so far with a lone surrogate, which are written with U+FFFD in its place. */
  brokenTexts = 0
  private columns: TableColumns | undefined
  /** The records before the first answered one. */
  private readonly pending: SelectedRecord[] = []

  constructor(private readonly hasLabels: boolean) {}

  /** Returns the lines that a record adds. Fails with a text if a field or answer of the record has no column. */
  add(selected: SelectedRecord): E.Either<string, string> {
    if (this.columns !== undefined) {
      const fault = explainMissingColumn(selected, this.columns)
      return fault === undefined ? E.right(this.formatLine(selected, this.columns)) : E.left(fault)
    }
    this.pending.push(selected)
    return E.right(isAnswered(selected.record.outcome) ? this.start(this.pending) : '')
  }

  /**
   * Returns the remaining lines; empty if there are none. If no record was added, `skipped`, an answered record that was not selected,
   * determines the columns. Without an answered record, the table has no columns for questions.
   */
  finish(skipped: SelectedRecord | undefined): string {
    if (this.columns !== undefined) return ''
    return this.start(skipped === undefined ? this.pending : [skipped])
  }

  /** Determines the columns by records. Returns the header and the lines of the pending records. */
  private start(records: ReadonlyArray<SelectedRecord>): string {
    const columns = determineColumns(records, this.hasLabels)
    this.columns = columns
    const lines = this.pending.map((selected) => this.formatLine(selected, columns))
    return formatCsvHeader(listHeader(columns)) + lines.join('')
  }

  private formatLine(selected: SelectedRecord, columns: TableColumns): string {
    const cells = listRecordCells(selected, columns)
    this.brokenTexts += countBrokenTexts(cells)
    return formatCsvLine(cells)
  }
}

/**
 * Determines the columns: the fields of all `records`, and the questions of the last one if it was answered. The records before
 * the last one were not answered.
 */
const determineColumns = (
  records: ReadonlyArray<SelectedRecord>,
  hasLabels: boolean,
): TableColumns => {
  const rows = records.flatMap(({ row }) => (row === undefined ? [] : [row]))
  const last = records.at(-1)?.record
  const answers = last !== undefined && isAnswered(last.outcome) ? last.outcome.answers : new Map()
  return {
    fields: rows.length === 0 ? undefined : (records[0]?.inputColumns ?? listFields(rows)),
    questions: [...answers.keys()],
    questionsWithPolicy: new Set(last === undefined ? [] : policyResultsIn(last).keys()),
    hasLabels,
  }
}

/** Lists the fields of rows that are no table. */
const listFields = (rows: ReadonlyArray<JsonValue>): ReadonlyArray<TableColumn> => {
  const names = new Set(rows.flatMap((row) => formatCells(row).map(([name]) => name)))
  return Array.from(names, (name) => ({ name, isNamed: true }))
}

/** Returns the results of a policy in a record, by question. */
const policyResultsIn = ({ document }: RunRecord): JsonObject =>
  membersIn(memberIn(document, 'policy'))

/** Lists the names of the columns. A field with the name of another column gets the prefix `input.`. */
const listHeader = (columns: TableColumns): ReadonlyArray<string> => {
  const { fields, questions, questionsWithPolicy, hasLabels } = columns
  const answerColumns = questions.flatMap((id) => [
    id,
    `${id}${decisionSuffix}`,
    `${id}.top`,
    ...(questionsWithPolicy.has(id) ? [`${id}.calibrated`, `${id}.outcome`] : []),
    ...(hasLabels ? [`${id}${labelSuffix}`] : []),
  ])
  const ownColumns = [...answerColumns, 'error']
  const fieldNames = fields?.map(({ name }) => name)
  const inputColumns = fieldNames && nameInputColumns(fieldNames, ownColumns)
  // A column that has no name in the input has none here either, so that it is read back as it was.
  const fieldColumns = inputColumns?.map((name, index) => (fields?.[index]?.isNamed ? name : ''))
  return [...(fieldColumns ?? ['index', 'id', 'group']), ...ownColumns]
}

/** Explains which field or answer of a record has no column; `undefined` if all have one. */
const explainMissingColumn = (
  { record, row }: SelectedRecord,
  columns: TableColumns,
): string | undefined => {
  const fieldNames = row === undefined ? [] : formatCells(row).map(([name]) => name)
  const missingField = fieldNames.find(
    (name) => !columns.fields?.some((field) => field.name === name),
  )
  if (missingField !== undefined)
    return `its row has a field "${missingField}", which the first row does not have`
  if (!isAnswered(record.outcome)) return undefined
  for (const id of record.outcome.answers.keys())
    if (!columns.questions.includes(id))
      return `answers "${id}", which the first answered row does not`
  return undefined
}

/** Lists the cells of a record. */
const listRecordCells = (
  { record, row }: SelectedRecord,
  columns: TableColumns,
): ReadonlyArray<string> => {
  const rowCells = new Map(row === undefined ? [] : formatCells(row))
  const fieldCells =
    columns.fields === undefined
      ? [String(record.index), idOf(record) ?? '', groupOf(record) ?? '']
      : columns.fields.map(({ name }) => rowCells.get(name) ?? '')
  const policyResults = policyResultsIn(record)
  const { outcome } = record
  const answerCells = columns.questions.flatMap((id) => {
    const answer = isAnswered(outcome) ? outcome.answers.get(id) : undefined
    const resultJson = policyResults.get(id)
    const policyResult = resultJson === undefined ? undefined : readPolicyOutcome(resultJson)
    const legend = memberIn(memberIn(memberIn(record.document, 'answers'), id), 'legend')
    return [
      ...formatAnswerCells(answer, policyResult, legend),
      ...(columns.questionsWithPolicy.has(id) ? formatPolicyCells(answer, policyResult) : []),
      ...(columns.hasLabels ? [formatLabel(record.labels.get(id), answer, legend)] : []),
    ]
  })
  const error = isAnswered(outcome) ? '' : `${outcome.error.kind}: ${outcome.error.message}`
  return [...fieldCells, ...answerCells, error]
}

/** Formats a probability or score with at most four decimals; empty without a value. */
const formatDecimals = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toFixed(4)))

/**
 * Formats an answer as three cells: the probability of a yes (noul), the label (choice) or the score; the decision in words; and
 * the largest probability. `legend` has the texts of the levels of a score.
 */
const formatAnswerCells = (
  answer: Answer | undefined,
  policyResult: PolicyOutcome | undefined,
  legend: JsonValue | undefined,
): ReadonlyArray<string> => {
  if (answer === undefined || answer.type === 'other') return ['', '', '']
  if (answer.type === 'refusal') return ['refusal', '', '']
  const top = formatDecimals(findTopAndMargin(distributionOf(answer))?.top)
  switch (answer.type) {
    case 'noul':
      return [formatDecimals(answer.noul), resolveDecision(answer, policyResult) ?? '', top]
    case 'choice':
      return [answer.choice, answer.choice, top]
    case 'score': {
      const level = decisionOf(answer)
      const levelName = level === undefined ? '' : nameLevel(level, legend)
      return [formatDecimals(answer.score), levelName, top]
    }
  }
}

/** Returns the text of a level of a score, or its number if the legend does not have one. */
const nameLevel = (level: string, legend: JsonValue | undefined): string =>
  stringIn(memberIn(legend, level)) ?? level

/** Formats a person's label in the words of a decision. Empty without a label. */
const formatLabel = (
  label: Label | undefined,
  answer: Answer | undefined,
  legend: JsonValue | undefined,
): string => {
  if (label === undefined) return ''
  const name = nameLabel(label)
  if (answer?.type !== 'score') return name
  const levelName = nameLevel(name, legend)
  // A level whose text is a number would be read back as the level with that number.
  return Number.isNaN(Number(levelName)) ? levelName : name
}

/** Returns the decision of the policy if it makes one, else that of the answer. */
const resolveDecision = (
  answer: KnownAnswer,
  policyResult: PolicyOutcome | undefined,
): string | undefined => {
  if (policyResult?.decision === undefined) return decisionOf(answer)
  return policyResult.decision ? 'yes' : 'no'
}

/** Formats the result of a policy as two cells: the calibrated probability of the decision, and the outcome. */
const formatPolicyCells = (
  answer: Answer | undefined,
  policyResult: PolicyOutcome | undefined,
): ReadonlyArray<string> => {
  if (policyResult === undefined) return ['', '']
  const { outcome: policyOutcome, calibrated } = policyResult
  if (answer === undefined || calibrated === null || !isKnown(answer)) return ['', policyOutcome]
  const decision = resolveDecision(answer, policyResult)
  // For a yes/no question, `calibrated` is the probability of a yes. Otherwise it lists the probability of each label.
  if (typeof calibrated === 'number') {
    const probability = decision === 'yes' ? calibrated : 1 - calibrated
    return [formatDecimals(probability), policyOutcome]
  }
  // A decision that `calibrated` does not list has an empty cell.
  const [, probability] = calibrated.find(([label]) => label === decision) ?? []
  return [formatDecimals(probability), policyOutcome]
}
