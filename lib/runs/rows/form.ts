import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { TextForm } from './text'

/** The names of the formats. */
export const formats = ['jsonl', 'csv', 'lines'] as const

/** The format of an input. */
export type Format = (typeof formats)[number]

/** The format that the ending of a path stands for; `undefined` for an ending that is not known. Standard input is JSONL. */
export const formatOf = (path: string): Format | undefined => {
  if (path === '-') return 'jsonl'
  switch (extname(path).toLowerCase()) {
    case '.csv':
    case '.tsv':
      return 'csv'
    case '.txt':
      return 'lines'
    case '.jsonl':
    case '.ndjson':
    case '.json':
      return 'jsonl'
    default:
      return undefined
  }
}

/** How the rows of an input are written. Without `format` the ending of its path decides. */
export interface GivenForm extends TextForm {
  readonly format: Format | undefined
}

/** How the rows of an input are written. */
export interface RowForm extends TextForm {
  readonly format: Format
}

/** Decides how the rows of an input are written. Fails with a usage error that says what to do about an unknown ending. */
export const decideForm = (path: string, given: GivenForm): E.Either<Failure, RowForm> => {
  const { encoding } = given
  const format = given.format ?? formatOf(path)
  if (/\.xlsx?$/i.test(path))
    return E.left(usage(`${path} is an Excel workbook: save it as "CSV UTF-8" and pass that file`))
  if (format === undefined)
    return E.left(usage(`${path} does not end in .csv, .tsv, .jsonl or .txt: pass --format`))
  if (encoding !== undefined && !isKnownEncoding(encoding))
    return E.left(
      usage(`--encoding ${encoding} is not known; spreadsheets write utf-8 or windows-1252`),
    )
  const delimiter = given.delimiter === '\\t' || given.delimiter === 'tab' ? '\t' : given.delimiter
  if (delimiter !== undefined && !/^[\t\x20-\x21\x23-\x7e]$/.test(delimiter))
    return E.left(
      usage(`--delimiter must be one character, such as ; or tab, got ${given.delimiter}`),
    )
  return E.right({ format, encoding, delimiter })
}

/** The rows that a run was asked about, beside the run. */
export interface RowOptions extends GivenForm {
  /** The path of the run. */
  readonly input: string
  /** The path of the rows. */
  readonly rows: string | undefined
}

/** Checks these options together. Returns a usage error, or `undefined` if they fit. */
export const findRowFault = ({ input, rows, format }: RowOptions): Failure | undefined => {
  if (format !== undefined && rows === undefined) return usage('--format needs --rows')
  return rows === '-' && input === '-'
    ? usage('--rows - needs the run from a file: pass --input')
    : undefined
}

/** Whether `TextDecoder` knows an encoding by this label. */
const isKnownEncoding = (label: string): boolean => {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}
