import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Json, kindOf, membersOf, stringIn, textOf } from '../codec/json/json'
import { type Failure, interrupted, usage } from '../failure/failure'
import type { Label, RunRecord } from '../runs/record/decode'
import { isAnswered } from '../runs/record/outcome'
import { openSource } from '../runs/record/source'
import { unguardCell } from '../runs/rows/csv'
import { noFields, readYesNo } from '../runs/rows/row'
import { openRows } from '../runs/rows/rows'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import { idOf } from './collect'
import { isKnown, type KnownAnswer } from './decision'
import type { LabelFlags } from './flags'

/** A file of labels, which replace those of a run. R30 */
export interface LabelFile {
  readonly name: string
  /**
   * Gives a record the labels of its row in the file, and its weight. Returns the line of that row too, or what is wrong
   * with the file as a text.
   */
  readonly relabel: (record: RunRecord) => Relabelled | string
  /** Returns what is wrong with the file that only the whole run reveals, if anything. */
  readonly finish: () => string | undefined
}

interface Relabelled {
  readonly record: RunRecord
  readonly line: number | undefined
}

interface LabelRow {
  readonly line: number
  /** Empty where the row has none. */
  readonly id: string
  readonly index: string
  readonly p: number | null | undefined
  readonly labels: ReadonlyMap<string, string>
}

/** The fields of labels by question; `undefined` where they go by their names. */
type Fields = ReadonlyMap<string, string> | undefined

/**
 * Reads the file of `--labels`; `undefined` without that flag. Fails with a usage error that names the line of a fault.
 * R30
 */
export const readLabelFile = (
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
  { labels: path, label, 'id-field': idField }: LabelFlags,
): TE.TaskEither<Failure, LabelFile | undefined> => {
  if (path === undefined)
    return label.length > 0 || idField !== undefined
      ? TE.left(usage(`--${label.length > 0 ? 'label' : 'id-field'} needs --labels`))
      : TE.right(undefined)
  const source = openSource(path, runtime)
  const fail = (why: string): Failure => usage(`read labels: ${source.name}: ${why}`)
  const format = extname(path).toLowerCase() === '.csv' ? 'csv' : 'jsonl'
  return pipe(
    TE.fromEither(parseLabelFields(label)),
    TE.bindTo('fields'),
    TE.bind('rows', () => openRows({ ...source, format, what: 'labels', fields: noFields })),
    TE.chain(({ fields, rows }) =>
      TE.tryCatch(
        async () => {
          const list: LabelRow[] = []
          for await (const { line, state, fault } of rows) {
            const row =
              state === undefined
                ? E.left(fault ?? '')
                : readRow(state, line, { fields, idField: idField ?? 'id' })
            if (runtime.signal.aborted) return E.left(interrupted)
            if (E.isLeft(row)) return E.left(fail(`line ${line}: ${row.left}`))
            list.push(row.right)
          }
          return E.right(createLabelFile(source.name, list, fields))
        },
        (error) => (runtime.signal.aborted ? interrupted : fail(reasonOf(error))),
      ),
    ),
    TE.chainEitherK((file) => file),
  )
}

/** Parses the values of `--label`; `undefined` without any, so that fields go by their names. */
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

const suffix = '.label'

const readRow = (
  value: Json,
  line: number,
  { fields, idField }: { readonly fields: Fields; readonly idField: string },
): E.Either<string, LabelRow> => {
  if (kindOf(value) !== 'object') return E.left('must be an object')
  const cells = new Map(membersOf(value).map(({ key, value: cell }) => [unguardCell(key), cell]))
  const id = textIn(cells.get(idField))
  const index = textIn(cells.get('index'))
  if (id === '' && !/^\d{1,15}$/.test(index))
    return E.left(`it has neither "${idField}" nor "index"`)
  const p = chanceIn(cells.get('p'))
  if (p === 'faulty') return E.left('"p" must be above 0 and at most 1')
  const labels = new Map<string, string>()
  if (fields === undefined) {
    for (const [name, cell] of cells)
      if (name.endsWith(suffix)) labels.set(name.slice(0, -suffix.length), textIn(cell))
  } else
    for (const [question, field] of fields) {
      if (!cells.has(field)) return E.left(`there is no field "${field}"`)
      labels.set(question, textIn(cells.get(field)))
    }
  return E.right({ line, id, index, p, labels })
}

/** The text of a cell without its guard; empty where there is none or null. */
const textIn = (cell: Json | undefined): string =>
  cell === undefined || kindOf(cell) === 'null' ? '' : unguardCell(stringIn(cell) ?? textOf(cell))

const chanceIn = (cell: Json | undefined): number | null | undefined | 'faulty' => {
  if (cell === undefined) return undefined
  const text = textIn(cell).trim()
  if (text === '') return null
  const chance = Number(text)
  return chance > 0 && chance <= 1 ? chance : 'faulty'
}

const createLabelFile = (
  name: string,
  rows: ReadonlyArray<LabelRow>,
  fields: Fields,
): LabelFile => {
  const byId = indexRows(rows, ({ id }) => id)
  const byIndex = indexRows(rows, ({ index }) => index)
  const used = new Set<LabelRow>()
  const answered = new Set<string>()
  /** The row of the record's id. A record without an id has that of its index, and so has one whose row has no id. */
  const findRow = (record: RunRecord): LabelRow | undefined => {
    const id = idOf(record)
    const row = byIndex.get(String(record.index))
    return id === undefined || id === ''
      ? row
      : (byId.get(id) ?? (row?.id === '' ? row : undefined))
  }
  const explainUnused = (row: LabelRow): string => {
    const { line, id, index } = row
    const name = id === '' ? `index ${index}` : `id ${JSON.stringify(id)}`
    if (id !== '' && byId.get(id) !== row) return `line ${line}: ${name} is there twice`
    if (index !== '' && byIndex.get(index) !== row)
      return `line ${line}: index ${index} is there twice`
    const hint = id === '' || index === '' ? '' : '; without that id it goes by its index'
    return `line ${line}: the run has no row of ${name}${hint}`
  }
  const relabel = (record: RunRecord): Relabelled | string => {
    const bare = { ...record, labels: new Map<string, Label>(), p: undefined }
    if ((record.run ?? 0) > 0) return { record: bare, line: undefined }
    const row = findRow(record)
    if (row !== undefined) used.add(row)
    if (!isAnswered(record.outcome)) return { record: bare, line: undefined }
    for (const question of record.outcome.answers.keys()) answered.add(question)
    if (row === undefined) return { record: bare, line: undefined }
    const labels = new Map<string, Label>()
    for (const [question, text] of row.labels) {
      const answer = record.outcome.answers.get(question)
      if (text === '' || answer === undefined || !isKnown(answer)) continue
      const label = parseLabel(answer.type, text)
      if (label === undefined)
        return `line ${row.line}: ${JSON.stringify(text)} is no label of "${question}" (${allowed[answer.type]})`
      labels.set(question, label)
    }
    return { record: { ...record, labels, p: row.p }, line: row.line }
  }
  const finish = (): string | undefined => {
    const unused = rows.find((row) => !used.has(row))
    if (unused !== undefined) return explainUnused(unused)
    const [first] = rows
    const names = [...(fields?.keys() ?? first?.labels.keys() ?? [])]
    const unknown = names.find((question) => !answered.has(question))
    if (fields !== undefined && unknown !== undefined) return `no answer is to "${unknown}"`
    return first === undefined || names.some((question) => answered.has(question))
      ? undefined
      : `there is no field "<question>${suffix}" of a question that was answered; --label names other fields`
  }
  return { name, relabel, finish }
}

/** Puts rows into a map; of rows with the same key the first counts. */
const indexRows = (
  rows: ReadonlyArray<LabelRow>,
  keyOf: (row: LabelRow) => string,
): ReadonlyMap<string, LabelRow> => new Map(rows.map((row) => [keyOf(row), row] as const).reverse())

const allowed: Readonly<Record<KnownAnswer['type'], string>> = {
  noul: 'true, false, yes, no, 1 or 0',
  choice: 'one of its labels',
  score: 'a level from 0 on',
}

/** Reads a label from its text; `undefined` where it is none of the type. R2 */
const parseLabel = (type: KnownAnswer['type'], text: string): Label | undefined => {
  switch (type) {
    case 'noul':
      return readYesNo(text.trim())
    case 'choice':
      return text
    case 'score':
      return /^\d(\.0+)?$/.test(text.trim()) ? Number(text) : undefined
  }
}
