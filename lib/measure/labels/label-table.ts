import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { openSource } from '../../runs/record/source'
import { unguardCell } from '../../runs/rows/csv'
import { decideForm, findFormat } from '../../runs/rows/form'
import { noFields, type Row } from '../../runs/rows/row'
import { openRows } from '../../runs/rows/rows'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { LabelFlags } from './label-flags'

/** A row of a file of labels. Texts are empty if the row does not have them. */
export interface LabelRow {
  readonly line: number
  /** The cell that says which row of the run it is. */
  readonly key: string
  /** The id, if rows go by their index. */
  readonly id: string
  /** The chance of the row to be drawn; `undefined` if its cell is empty. */
  readonly p: number | undefined
  /** The texts of labels by question, and those given when the row was shown a second time. */
  readonly labels: ReadonlyMap<string, string>
  readonly again: ReadonlyMap<string, string>
}

/** A file of labels. Its labels are still texts. */
export interface LabelTable {
  /** The name of the file in messages. */
  readonly name: string
  /** The column that says which row of the run a row is: `index`, or a column of ids. */
  readonly keyField: string
  readonly hasChances: boolean
  /** The fields that `--label` names, by question; `undefined` without that flag. */
  readonly fields: ReadonlyMap<string, string> | undefined
  readonly rows: ReadonlyArray<LabelRow>
}

export const labelSuffix = '.label'
export const againSuffix = '.again'

/** Reads the file of `--labels`. Fails with a usage error that names the line of a fault. */
export const readLabelTable = (
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
  path: string,
  { label, 'id-field': idField, delimiter, encoding }: LabelFlags,
): TE.TaskEither<Failure, LabelTable> => {
  const source = openSource(path, runtime)
  const fail = (why: string): Failure => usage(`read labels: ${source.name}: ${why}`)
  const format = findFormat(path) ?? 'jsonl'
  return async () => {
    const fields = parseLabelFields(label)
    if (E.isLeft(fields)) return fields
    const form = decideForm(path, { delimiter, encoding, format })
    if (E.isLeft(form)) return form
    const input = await openRows({ ...source, ...form.right, what: 'labels', fields: noFields })()
    if (E.isLeft(input)) return input
    try {
      const rows = await readLabelRows(input.right, fields.right, idField, runtime.signal)
      if (typeof rows === 'string') return E.left(fail(rows))
      if (runtime.signal.aborted) return E.left(interrupted)
      return E.right({ name: source.name, fields: fields.right, ...rows })
    } catch (error) {
      return E.left(runtime.signal.aborted ? interrupted : fail(reasonOf(error)))
    }
  }
}

/** Reads the rows of a file of labels until it ends or `signal` fires. Returns the first fault, with its line. */
const readLabelRows = async (
  input: AsyncIterable<Row>,
  fields: LabelTable['fields'],
  idField: string | undefined,
  signal: AbortSignal,
) => {
  const reader = new LabelReader(fields, idField)
  for await (const { line, state, fault } of input) {
    if (signal.aborted) break
    const wrong = state === undefined ? (fault ?? '') : reader.add(state, line)
    if (wrong !== undefined) return `line ${line}: ${wrong}`
  }
  return reader.finish()
}

/** Parses the values of `--label`; `undefined` without any. */
const parseLabelFields = (
  texts: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyMap<string, string> | undefined> => {
  const fields = new Map<string, string>()
  for (const text of texts) {
    const equals = text.lastIndexOf('=')
    const [question, field] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)]
    if (question === '' || field === '')
      return E.left(usage(`--label ${JSON.stringify(text)}: expected question=field`))
    if (fields.has(question))
      return E.left(usage(`--label ${JSON.stringify(text)}: "${question}" has a label already`))
    fields.set(question, field)
  }
  return E.right(fields.size === 0 ? undefined : fields)
}

/** The cells of a row by column, without the quotes that guard against formulas. */
type Cells = ReadonlyMap<string, string>

/** Reads row after row. The first one decides which column says which row of the run it is. */
class LabelReader {
  private readonly rows: LabelRow[] = []
  private keyField: string | undefined
  private hasChances = false

  constructor(
    private readonly fields: LabelTable['fields'],
    private readonly idField: string | undefined,
  ) {
    this.keyField = idField
  }

  /** Adds a row. Returns its fault, if any. */
  add(value: JsonValue, line: number): string | undefined {
    if (!(value instanceof Map)) return 'must be an object'
    const cells: Cells = new Map(
      Array.from(value, ([name, cell]) => [unguardCell(name), readCell(cell)]),
    )
    this.keyField ??= cells.has('index') ? 'index' : 'id'
    const fault = this.checkKey(cells, this.keyField)
    if (fault !== undefined) return fault
    const p = readChance(cells.get('p'))
    if (p === 'invalid') return '"p" must be above 0 and at most 1'
    if (cells.has('p')) this.hasChances = true
    const labels = this.fields ? pickCells(cells, this.fields) : endingIn(cells, labelSuffix)
    if (typeof labels === 'string') return labels
    const key = cells.get(this.keyField) ?? ''
    const id = this.keyField === 'index' ? (cells.get('id') ?? '') : ''
    this.rows.push({ line, key, id, p, labels, again: endingIn(cells, againSuffix) })
    return undefined
  }

  finish(): Pick<LabelTable, 'rows' | 'keyField' | 'hasChances'> {
    const { rows, keyField = 'index', hasChances } = this
    return { rows, keyField, hasChances }
  }

  private checkKey(cells: Cells, keyField: string): string | undefined {
    if (!cells.has(keyField) && this.idField === undefined && keyField === 'id')
      return 'there is neither a field "index" nor "id"; --id-field names the field of ids'
    const key = cells.get(keyField) ?? ''
    if (key === '') return `it has no "${keyField}"`
    return keyField === 'index' && !/^\d{1,15}$/.test(key)
      ? '"index" must be a whole number'
      : undefined
  }
}

const readCell = (cell: JsonValue): string => (cell === null ? '' : unguardCell(plainText(cell)))

const readChance = (cell: string | undefined): number | undefined | 'invalid' => {
  const text = cell?.trim() ?? ''
  if (text === '') return undefined
  // Spreadsheets of many countries write 0,5.
  const chance = Number(text.replace(',', '.'))
  return chance > 0 && chance <= 1 ? chance : 'invalid'
}

/** Returns the cells of the columns with this ending, by the name before it. */
const endingIn = (cells: Cells, suffix: string): Cells => {
  const found = new Map<string, string>()
  for (const [name, cell] of cells)
    if (name.endsWith(suffix)) found.set(name.slice(0, -suffix.length), cell)
  return found
}

/** Returns the cells of the fields that `--label` names, or the fault of the row as a text. */
const pickCells = (cells: Cells, fields: ReadonlyMap<string, string>): Cells | string => {
  const found = new Map<string, string>()
  for (const [question, field] of fields) {
    const cell = cells.get(field)
    if (cell === undefined) return `there is no field "${field}"`
    found.set(question, cell)
  }
  return found
}
