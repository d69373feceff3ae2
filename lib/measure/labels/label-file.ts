import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import type { Label, RunRecord } from '../../runs/record/decode'
import { type Answered, isAnswered } from '../../runs/record/outcome'
import { parseYesNo } from '../../runs/rows/row'
import type { Runtime } from '../../runtime/runtime'
import { isKnown, type KnownAnswer } from '../decision'
import { idOf } from '../record-names'
import type { LabelFlags } from './label-flags'
import { type LabelRow, type LabelTable, labelSuffix, readLabelTable } from './label-table'
import { type LabelledRecord, noLabels, withRecordLabels } from './labelled-record'

/** A label file that is being joined to the records of a run. */
export interface LabelFile {
  /** The name of the file in messages. */
  readonly name: string
  /** Returns a record with its labels from the file, or a fault of the file as a text. */
  readonly label: (record: RunRecord) => LabelledRecord | string
  /**
   * Call this after the last record. Returns a fault as a text: rows with the same key, a row that is not in the run, or labels for
   * questions that the run does not answer.
   */
  readonly finish: () => string | undefined
}

/**
 * Reads the file of `--labels`; `undefined` without that flag. Fails with a usage error that names the line number, or if another flag
 * needs `--labels`.
 */
export const readLabelFile = (
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
  flags: LabelFlags,
): TE.TaskEither<Failure, LabelFile | undefined> => {
  if (flags.labels !== undefined)
    return pipe(
      readLabelTable(runtime, flags.labels, flags),
      TE.map((table) => new LabelJoin(table)),
    )
  if (flags.label.length > 0) return TE.left(usage('--label needs --labels'))
  return flags['id-field'] === undefined
    ? TE.right(undefined)
    : TE.left(usage('--id-field needs --labels'))
}

/**
 * Joins a label file to a run: by `index`, or by id if the file has no `index`. Repetitions of a row (`run` above 0) get no labels.
 */
class LabelJoin implements LabelFile {
  readonly name: string
  /** `true` if the keys of the file are indexes, `false` if they are ids. */
  private readonly isKeyedByIndex: boolean
  private readonly rowByKey = new Map<string, LabelRow>()
  /** The index of the record to which each row was joined. */
  private readonly joinedIndexes = new Map<LabelRow, number>()
  private readonly answeredQuestions = new Set<string>()
  /** The fault of the file if two rows have the same key. */
  private readonly duplicateFault: string | undefined
  /** `true` if the column `p` (sampling probabilities) is empty in all rows: they were not drawn at random. */
  private readonly hasOnlyEmptyProbabilities: boolean

  constructor(private readonly table: LabelTable) {
    this.name = table.name
    this.isKeyedByIndex = table.keyField === 'index'
    this.duplicateFault = addRowsByKey(table, this.rowByKey)
    this.hasOnlyEmptyProbabilities =
      table.hasSamplingProbabilities &&
      table.rows.every(({ samplingProbability }) => samplingProbability === undefined)
  }

  label(record: RunRecord): LabelledRecord | string {
    if (this.duplicateFault !== undefined) return this.duplicateFault
    const isRepetition = (record.run ?? 0) > 0
    const row = isRepetition ? undefined : this.findRow(record)
    if (row !== undefined) {
      const fault = checkJoin(row, record, this.isKeyedByIndex, this.joinedIndexes.get(row))
      if (fault !== undefined) return fault
      this.joinedIndexes.set(row, record.index)
    }
    if (isAnswered(record.outcome)) {
      const { answers } = record.outcome
      if (!isRepetition) for (const id of answers.keys()) this.answeredQuestions.add(id)
      if (row !== undefined) return this.labelAnswers(record, answers, row)
    }
    const p = this.table.hasSamplingProbabilities ? undefined : record.p
    return { ...withRecordLabels({ ...record, labels: noLabels, p }), runP: record.p }
  }

  finish(): string | undefined {
    if (this.duplicateFault !== undefined) return this.duplicateFault
    const unusedRow = this.table.rows.find((row) => !this.joinedIndexes.has(row))
    if (unusedRow !== undefined)
      return `line ${unusedRow.line}: the run has no row of ${describeKey(unusedRow, this.isKeyedByIndex)}`
    return explainUnknownQuestions(this.table, this.answeredQuestions)
  }

  private findRow(record: RunRecord): LabelRow | undefined {
    const key = this.isKeyedByIndex ? String(record.index) : idOf(record)
    return key === undefined ? undefined : this.rowByKey.get(key)
  }

  /** Adds the labels of a row to an answered record. Returns a fault of the labels as a text. */
  private labelAnswers(
    record: RunRecord,
    answers: Answered['answers'],
    row: LabelRow,
  ): LabelledRecord | string {
    const labels = parseLabels(row.labels, row.line, answers)
    const repeatLabels = parseLabels(row.repeatLabels, row.line, answers)
    if (typeof labels === 'string') return labels
    if (typeof repeatLabels === 'string') return repeatLabels
    const p = this.table.hasSamplingProbabilities ? this.samplingProbabilityOf(row) : record.p
    return { record: { ...record, labels, p }, runP: record.p, labelLine: row.line, repeatLabels }
  }

  /** Returns the sampling probability of a row; null if the rows were not drawn at random. */
  private samplingProbabilityOf(row: LabelRow): number | null | undefined {
    return this.hasOnlyEmptyProbabilities ? null : row.samplingProbability
  }
}

/** Describes a row by its key, for messages. */
const describeKey = ({ key }: LabelRow, isKeyedByIndex: boolean): string =>
  isKeyedByIndex ? `index ${key}` : `id ${JSON.stringify(key)}`

/** Adds the rows of a table to a map by their keys. Returns a fault if two rows have the same key. */
const addRowsByKey = (
  { rows, keyField }: LabelTable,
  byKey: Map<string, LabelRow>,
): string | undefined => {
  for (const row of rows) {
    const key = keyField === 'index' ? String(Number(row.key)) : row.key
    if (byKey.has(key))
      return `line ${row.line}: an earlier row has the same ${describeKey(row, keyField === 'index')}`
    byKey.set(key, row)
  }
  return undefined
}

/**
 * Explains why a row does not fit a record; `undefined` if it fits. A key must name a single row of the run. The column `id` of
 * the file is checked only if the run has ids, since it may be a field of the input.
 */
const checkJoin = (
  row: LabelRow,
  record: RunRecord,
  isKeyedByIndex: boolean,
  joinedIndex: number | undefined,
): string | undefined => {
  const linePrefix = `line ${row.line}: `
  if (joinedIndex !== undefined) {
    const severalRows = `rows of ${describeKey(row, isKeyedByIndex)} (index ${joinedIndex} and ${record.index})`
    const hint = isKeyedByIndex ? '' : '; add a column "index" that says which one you mean'
    return `${linePrefix}the run has several ${severalRows}${hint}`
  }
  const id = idOf(record)
  if (!isKeyedByIndex || row.id === '' || id === undefined || row.id === id) return undefined
  return `${linePrefix}the row of index ${row.key} has the id ${JSON.stringify(id)} in the run, not ${JSON.stringify(row.id)}; delete the column "id" if only its spelling changed`
}

/**
 * Explains that labels are for questions that the run does not answer: any question of `--label`, or all columns of labels.
 * `undefined` otherwise.
 */
const explainUnknownQuestions = (
  { rows, fields }: LabelTable,
  answeredQuestions: ReadonlySet<string>,
): string | undefined => {
  const [firstRow] = rows
  const questions = [...(fields?.keys() ?? firstRow?.labels.keys() ?? [])]
  const unknown = questions.find((question) => !answeredQuestions.has(question))
  if (fields !== undefined && unknown !== undefined) return `the run has no answers to "${unknown}"`
  return firstRow === undefined || questions.some((question) => answeredQuestions.has(question))
    ? undefined
    : `it has no field "<question>${labelSuffix}" for a question that was answered; use --label if the field has another name`
}

/**
 * Parses labels by question, or returns the fault of an invalid one as a text. Ignores labels of refusals and of answers of unknown
 * type.
 */
const parseLabels = (
  texts: ReadonlyMap<string, string>,
  line: number,
  answers: ReadonlyMap<string, Parameters<typeof isKnown>[0]>,
): ReadonlyMap<string, Label> | string => {
  const labels = new Map<string, Label>()
  for (const [question, text] of texts) {
    const answer = answers.get(question)
    if (text === '' || answer === undefined || !isKnown(answer)) continue
    const label = parseLabel(answer.type, text)
    if (label === undefined)
      return `line ${line}: ${JSON.stringify(text)} is not a label of "${question}" (${allowedLabels[answer.type]})`
    labels.set(question, label)
  }
  return labels
}

const allowedLabels: Readonly<Record<KnownAnswer['type'], string>> = {
  noul: 'true, false, yes, no, 1 or 0',
  choice: 'one of its labels',
  score: 'a level from 0 on',
}

/** Parses a label from its text; `undefined` if it does not fit the type. A level may have decimals of 0, as spreadsheets write. */
const parseLabel = (type: KnownAnswer['type'], text: string): Label | undefined => {
  switch (type) {
    case 'noul':
      return parseYesNo(text.trim())
    case 'choice':
      return text
    case 'score':
      return /^\d(\.0+)?$/.test(text.trim()) ? Number(text) : undefined
  }
}
