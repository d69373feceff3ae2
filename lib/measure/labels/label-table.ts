import * as E from 'fp-ts/Either'
import { plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { openSource } from '../../runs/record/lines'
import { writeRemark } from '../../runs/rows/find-rows'
import { decideForm, findFormat } from '../../runs/rows/form'
import { noFields, type Row } from '../../runs/rows/row'
import { openRows } from '../../runs/rows/rows'
import { labelSuffix } from '../../runs/tables/guards'
import { describeSpanningCells } from '../../runs/tables/table-rows'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { LabelFlags } from './label-flags'

/** A cell with a label that is not read yet, because the questions are not known yet. */
export interface LabelCell {
  readonly field: string
  readonly value: JsonValue
}

/** The cells with labels, by question. */
export type LabelCellsByQuestion = ReadonlyMap<string, LabelCell>

/** A row of a label file. */
export interface LabelFileRow {
  /** The line number in the file. */
  readonly line: number
  /** The key of the row for messages, such as `index 7` or `id "x"`. */
  readonly keyText: string
  /** The id beside an index; empty if the id is the key. */
  readonly id: string
  /** The column `p`: the probability with which the row was drawn, above 0 and at most 1. `undefined` if its cell is empty. */
  readonly samplingProbability: number | undefined
  readonly labels: LabelCellsByQuestion
  /** The labels that a person gave when the row was shown a second time. */
  readonly repeatLabels: LabelCellsByQuestion
}

/** The rows of a label file. */
export interface ParsedLabelFile {
  /** The name of the file in messages. */
  readonly name: string
  /** `true` if the keys of the rows are indexes, `false` if they are ids. */
  readonly isKeyedByIndex: boolean
  /**
   * The state of the column `p`. `missing`: no row has it. `empty`: all its cells are empty, since the rows were not drawn at random.
   * `given`: at least one cell has a probability.
   */
  readonly samplingProbabilities: 'missing' | 'empty' | 'given'
  /** The fields that `--label` names, by question; `undefined` without that flag. */
  readonly fields: ReadonlyMap<string, string> | undefined
  /** The rows by key: by the index without leading zeros, or by the id. */
  readonly rowByKey: ReadonlyMap<string, LabelFileRow>
}

/** The column `urgent.again` has the labels that were given when rows were shown a second time. */
export const repeatLabelSuffix = '.again'

/**
 * Reads the file of `--labels`. Fails if a flag is invalid, if the file cannot be read, if a row is invalid, or if the reading is
 * interrupted. The error of an invalid row names its line number.
 */
export const readLabelTable = async (
  runtime: Pick<Runtime, 'stdin' | 'stderr' | 'files' | 'signal'>,
  path: string,
  flags: LabelFlags,
): Promise<E.Either<Failure, ParsedLabelFile>> => {
  const { label, 'id-field': idField } = flags
  const source = openSource(path, runtime)
  const fail = (cause: string): Failure => usage(`read labels: ${source.name}: ${cause}`)
  const format = findFormat(path) ?? 'jsonl'
  const labelFields = parseLabelFields(label)
  if (E.isLeft(labelFields)) return labelFields
  const form = decideForm(path, { ...flags, format })
  if (E.isLeft(form)) return form
  const input = await openRows({
    ...source,
    ...form.right,
    contentName: 'labels',
    fields: noFields,
    namedColumns: [
      ...(labelFields.right?.values() ?? []),
      ...(idField === undefined ? [] : [idField]),
    ],
  })
  if (E.isLeft(input)) return input
  try {
    const rows = await readLabelRows(input.right.rows, labelFields.right, idField, runtime.signal)
    if (E.isLeft(rows)) return E.left(fail(rows.left))
    if (runtime.signal.aborted) return E.left(interrupted)
    const remark = describeSpanningCells(source.name, input.right.countSpanningCells())
    await writeRemark(runtime.stderr, remark)
    return E.right({ name: source.name, fields: labelFields.right, ...rows.right })
  } catch (error) {
    return E.left(runtime.signal.aborted ? interrupted : fail(reasonOf(error)))
  }
}

/** The parts of a label table that its rows determine. */
type ParsedRows = Pick<ParsedLabelFile, 'rowByKey' | 'isKeyedByIndex' | 'samplingProbabilities'>

/** Reads the rows of a label file until it ends or `signal` aborts. Fails with the first fault, with its line number, as a text. */
const readLabelRows = async (
  input: AsyncIterable<Row>,
  fields: ParsedLabelFile['fields'],
  idField: string | undefined,
  signal: AbortSignal,
): Promise<E.Either<string, ParsedRows>> => {
  const parser = new LabelRowParser(fields, idField)
  for await (const { line, state, fault } of input) {
    if (signal.aborted) break
    // A row has a state (its JSON value), or a fault if it could not be decoded. `''` is only for the compiler.
    const rowFault = state === undefined ? (fault ?? '') : parser.add(state, line)
    if (rowFault !== undefined) return E.left(`line ${line}: ${rowFault}`)
  }
  return E.right(parser.finish())
}

/** Parses the values of `--label` (question=field). Returns the fields by question; `undefined` without any. */
const parseLabelFields = (
  texts: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyMap<string, string> | undefined> => {
  const fields = new Map<string, string>()
  for (const text of texts) {
    // The id of a question may contain `=`. Without any `=`, `question` is empty.
    const equalsOffset = text.lastIndexOf('=')
    const question = text.slice(0, Math.max(0, equalsOffset))
    const field = text.slice(equalsOffset + 1)
    if (question === '' || field === '')
      return E.left(usage(`--label ${JSON.stringify(text)}: expected question=field`))
    if (fields.has(question))
      return E.left(usage(`--label ${JSON.stringify(text)}: "${question}" has a label already`))
    fields.set(question, field)
  }
  return E.right(fields.size === 0 ? undefined : fields)
}

/** The cells of a row by column. */
type Cells = ReadonlyMap<string, JsonValue>

/** Parses the rows of a label file. The first row decides whether the keys are indexes or ids. */
class LabelRowParser {
  private readonly rowByKey = new Map<string, LabelFileRow>()
  /** The column of the keys; `undefined` before the first row without `--id-field`. */
  private keyField: string | undefined
  private samplingProbabilities: ParsedLabelFile['samplingProbabilities'] = 'missing'

  constructor(
    private readonly fields: ParsedLabelFile['fields'],
    private readonly idField: string | undefined,
  ) {
    this.keyField = idField
  }

  /** Adds a row. Returns its fault as a text, if any. */
  add(value: JsonValue, line: number): string | undefined {
    if (!(value instanceof Map)) return 'must be an object'
    const cells: Cells = value
    this.keyField ??= cells.has('index') ? 'index' : 'id'
    const isKeyedByIndex = this.keyField === 'index'
    // A missing key counts as an empty one, which is a fault.
    const key = formatCell(cells.get(this.keyField))
    const keyFault = this.explainInvalidKey(this.keyField, key, cells)
    if (keyFault !== undefined) return keyFault
    const samplingProbability = parseSamplingProbability(formatCell(cells.get('p')))
    if (E.isLeft(samplingProbability)) return samplingProbability.left
    if (samplingProbability.right !== undefined) this.samplingProbabilities = 'given'
    else if (cells.has('p') && this.samplingProbabilities === 'missing')
      this.samplingProbabilities = 'empty'
    const labels = pickLabels(cells, this.fields)
    if (E.isLeft(labels)) return labels.left
    const normalizedKey = isKeyedByIndex ? String(Number(key)) : key
    const keyText = isKeyedByIndex ? `index ${key}` : `id ${JSON.stringify(key)}`
    if (this.rowByKey.has(normalizedKey)) return `an earlier row has the same ${keyText}`
    this.rowByKey.set(normalizedKey, {
      line,
      keyText,
      id: isKeyedByIndex ? formatCell(cells.get('id')) : '',
      samplingProbability: samplingProbability.right,
      labels: labels.right,
      repeatLabels: pickCellsEndingIn(cells, repeatLabelSuffix),
    })
    return undefined
  }

  private explainInvalidKey(keyField: string, key: string, cells: Cells): string | undefined {
    if (keyField === 'id' && this.idField === undefined && !cells.has('id'))
      return 'there is no field "index" or "id"; name the field of ids with --id-field'
    if (key === '') return `it has no "${keyField}"`
    // A number with more than 15 digits can be inexact.
    return keyField === 'index' && !/^\d{1,15}$/.test(key)
      ? '"index" must be a whole number'
      : undefined
  }

  finish(): ParsedRows {
    // Without rows it does not matter whether the keys are indexes.
    const { rowByKey, keyField = 'index', samplingProbabilities } = this
    return { rowByKey, isKeyedByIndex: keyField === 'index', samplingProbabilities }
  }
}

/** Returns a cell as text; empty if it is absent or null. */
const formatCell = (cell: JsonValue | undefined): string =>
  cell === undefined || cell === null ? '' : plainText(cell)

/** Parses a cell of the column `p`; `undefined` if it is empty. */
const parseSamplingProbability = (cell: string): E.Either<string, number | undefined> => {
  if (cell.trim() === '') return E.right(undefined)
  // Spreadsheets in many languages write 0,5.
  const probability = Number(cell.trim().replace(',', '.'))
  return probability > 0 && probability <= 1
    ? E.right(probability)
    : E.left('"p" must be above 0 and at most 1')
}

/** Returns the cells of columns whose name ends in `suffix`, by the name without it. */
const pickCellsEndingIn = (cells: Cells, suffix: string): LabelCellsByQuestion => {
  const picked = new Map<string, LabelCell>()
  for (const [field, value] of cells)
    if (field.endsWith(suffix)) picked.set(field.slice(0, -suffix.length), { field, value })
  return picked
}

/** Returns the labels of a row by question: those of the fields that `--label` names, else those of the columns `<question>.label`. */
const pickLabels = (
  cells: Cells,
  fields: ParsedLabelFile['fields'],
): E.Either<string, LabelCellsByQuestion> => {
  if (fields === undefined) return E.right(pickCellsEndingIn(cells, labelSuffix))
  const labels = new Map<string, LabelCell>()
  for (const [question, field] of fields) {
    const value = cells.get(field)
    if (value === undefined) return E.left(`there is no field "${field}"`)
    labels.set(question, { field, value })
  }
  return E.right(labels)
}
