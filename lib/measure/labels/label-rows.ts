import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { encodeText } from '../../codec/json/draft'
import { type JsonValue, kindOf, membersOf, stringIn } from '../../codec/json/json'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { openSource } from '../../runs/record/source'
import { unguardCell } from '../../runs/rows/csv'
import { decideForm, formatOf } from '../../runs/rows/flags'
import { noFields } from '../../runs/rows/row'
import { openRows } from '../../runs/rows/rows'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { LabelFlags } from './flags'

/** A row of a file of labels. Texts are empty if the row does not have them. */
export interface LabelRow {
  readonly line: number
  /** The cell that says which row of the run it is. */
  readonly key: string
  /** The id, if rows go by their index. */
  readonly id: string
  /** The chance of the row to be drawn; `undefined` if its cell is empty. */
  readonly p: number | undefined
  /** The labels by question, as they are written, and those given when the row was shown a second time. */
  readonly labels: ReadonlyMap<string, string>
  readonly again: ReadonlyMap<string, string>
}

/** A file of labels, as it is written. */
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
  const format = formatOf(path) ?? 'jsonl'
  return pipe(
    TE.Do,
    TE.bind('fields', () => TE.fromEither(parseLabelFields(label))),
    TE.bind('form', () => TE.fromEither(decideForm(path, { delimiter, encoding, format }))),
    TE.bind('input', ({ form }) =>
      openRows({ ...source, ...form, what: 'labels', fields: noFields }),
    ),
    TE.chain(({ fields, input }) =>
      TE.tryCatch(
        async () => {
          const reader = createReader(fields, idField)
          for await (const { line, state, fault } of input) {
            if (runtime.signal.aborted) return E.left(interrupted)
            const wrong = state === undefined ? (fault ?? '') : reader.add(state, line)
            if (wrong !== undefined) return E.left(fail(`line ${line}: ${wrong}`))
          }
          return E.right({ name: source.name, fields, ...reader.finish() })
        },
        (error) => (runtime.signal.aborted ? interrupted : fail(reasonOf(error))),
      ),
    ),
    TE.chainEitherK((table) => table),
  )
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
const createReader = (fields: LabelTable['fields'], idField: string | undefined) => {
  const rows: LabelRow[] = []
  let keyField = idField
  let hasChances = false
  return {
    /** Adds a row. Returns what is wrong with it, if anything. */
    add: (value: JsonValue, line: number): string | undefined => {
      if (kindOf(value) !== 'object') return 'must be an object'
      const cells = new Map(
        membersOf(value).map(({ key, value: cell }) => [unguardCell(key), readCell(cell)]),
      )
      keyField ??= cells.has('index') ? 'index' : 'id'
      if (!cells.has(keyField) && idField === undefined && keyField === 'id')
        return 'there is neither a field "index" nor "id"; --id-field names the field of ids'
      const key = cells.get(keyField) ?? ''
      if (key === '') return `it has no "${keyField}"`
      if (keyField === 'index' && !/^\d{1,15}$/.test(key)) return '"index" must be a whole number'
      const p = readChance(cells.get('p'))
      if (p === 'invalid') return '"p" must be above 0 and at most 1'
      if (cells.has('p')) hasChances = true
      const labels = fields === undefined ? endingIn(cells, labelSuffix) : pickCells(cells, fields)
      if (typeof labels === 'string') return labels
      const id = keyField === 'index' ? (cells.get('id') ?? '') : ''
      rows.push({ line, key, id, p, labels, again: endingIn(cells, againSuffix) })
      return undefined
    },
    finish: () => ({ rows, keyField: keyField ?? 'index', hasChances }),
  }
}

const readCell = (cell: JsonValue): string =>
  kindOf(cell) === 'null' ? '' : unguardCell(stringIn(cell) ?? encodeText(cell))

const readChance = (cell: string | undefined): number | undefined | 'invalid' => {
  const text = cell?.trim() ?? ''
  if (text === '') return undefined
  // Spreadsheets of many countries write 0,5.
  const chance = Number(text.replace(',', '.'))
  return chance > 0 && chance <= 1 ? chance : 'invalid'
}

/** The cells of the columns with this ending, by what is before it. */
const endingIn = (cells: Cells, suffix: string): Cells => {
  const found = new Map<string, string>()
  for (const [name, cell] of cells)
    if (name.endsWith(suffix)) found.set(name.slice(0, -suffix.length), cell)
  return found
}

/** The cells of the fields that `--label` names, or what is wrong with the row as a text. */
const pickCells = (cells: Cells, fields: ReadonlyMap<string, string>): Cells | string => {
  const found = new Map<string, string>()
  for (const [question, field] of fields) {
    const cell = cells.get(field)
    if (cell === undefined) return `there is no field "${field}"`
    found.set(question, cell)
  }
  return found
}
