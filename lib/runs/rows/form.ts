import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { TableFlags } from '../tables/table-start'

export const rowFormats = ['jsonl', 'csv', 'lines'] as const

/** The format of an input: `jsonl` is one JSON value on each line, `csv` has a header, and `lines` is one plain text on each line. */
export type RowFormat = (typeof rowFormats)[number]

/** Returns the format for the extension of a path; `undefined` if the extension is unknown. Standard input is JSONL. */
export const findFormat = (path: string): RowFormat | undefined => {
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

/** The flags for the encoding and the cells of a table. */
export interface TextFlags {
  /** A label that `TextDecoder` knows; `undefined` means UTF-8. */
  readonly encoding?: string | undefined
  /** The character between two cells, which may also be spelled `tab` or `\t`; `undefined` finds it in the table. */
  readonly delimiter?: string | undefined
  /** `true` if a quote is an ordinary character. */
  readonly 'no-quotes'?: boolean
}

/** The form of an input as the flags set it. */
export interface FormFlags extends TextFlags {
  /** If `undefined`, the extension of the path decides. */
  readonly format: RowFormat | undefined
}

/** The form of a table: its encoding, and how it divides its cells. */
export interface TableForm extends TableFlags {
  /** A label that `TextDecoder` knows; `undefined` means UTF-8. */
  readonly encoding?: string | undefined
}

/** The form of an input. */
export interface RowForm extends TableForm {
  readonly format: RowFormat
  /** `true` for JSON lines in a file that ends in `.json`, which may instead hold one array. */
  readonly mayBeArray: boolean
}

/** A tab, or a printable ASCII character except the double quote (0x22). */
const delimiterPattern = /^[\t\x20-\x21\x23-\x7e]$/

/** Decides the form of an input. Fails with a usage error if the format is unknown or a flag is invalid. */
export const decideForm = (path: string, flags: FormFlags): E.Either<Failure, RowForm> => {
  const format = flags.format ?? findFormat(path)
  if (/\.xlsx?$/i.test(path))
    return E.left(usage(`${path} is an Excel workbook: save it as "CSV UTF-8" and pass that file`))
  if (format === undefined)
    return E.left(usage(`${path} does not end in .csv, .tsv, .jsonl or .txt: pass --format`))
  const form = parseTextFlags(flags)
  if (E.isLeft(form)) return form
  const mayBeArray = format === 'jsonl' && extname(path).toLowerCase() === '.json'
  return E.right({ ...form.right, format, mayBeArray })
}

/** Parses the flags for the encoding and the cells of a table. Fails with a usage error. */
export const parseTextFlags = (flags: TextFlags): E.Either<Failure, TableForm> => {
  const { encoding } = flags
  if (encoding !== undefined && !isKnownEncoding(encoding))
    return E.left(
      usage(`--encoding ${encoding} is not known; spreadsheets write utf-8 or windows-1252`),
    )
  const isTab = flags.delimiter === '\\t' || flags.delimiter === 'tab'
  const delimiter = isTab ? '\t' : flags.delimiter
  if (delimiter !== undefined && !delimiterPattern.test(delimiter))
    return E.left(
      usage(`--delimiter must be one character, such as ; or tab, got ${flags.delimiter}`),
    )
  return E.right({ encoding, delimiter, hasQuotes: flags['no-quotes'] !== true })
}

/** The options of a command that reads a run, and perhaps the input of that run. */
export interface RowOptions extends FormFlags {
  /** The path of the run. */
  readonly input: string
  /** The path of the input of the run, from `--rows`. */
  readonly rows: string | undefined
}

/** Returns a usage error if the options contradict each other, or else `undefined`. */
export const checkRowOptions = ({ input, rows, format }: RowOptions): Failure | undefined => {
  if (format !== undefined && rows === undefined) return usage('--format needs --rows')
  return rows === '-' && input === '-'
    ? usage('--rows - needs the run from a file: pass --input')
    : undefined
}

/** Returns `true` if `TextDecoder` knows a label. Its constructor throws an error for any other label. */
const isKnownEncoding = (label: string): boolean => {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}
