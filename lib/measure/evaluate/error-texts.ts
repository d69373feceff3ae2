import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type JsonValue, memberIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import { readRowsOfRecords } from '../../runs/rows/find-rows'
import { checkRowOptions, type RowOptions } from '../../runs/rows/form'
import { formatCells } from '../../runs/tables/guards'
import type { Runtime } from '../../runtime/runtime'
import { cutWithEllipsis } from '../../text/sanitize'
import type { Redact } from '../../text/secret'
import type { ConfidentError, LabelledRun } from '../rows/labelled-run'
import type { ReadText } from '../rows/question-rows'

/** The flags of `svc eval` about the texts on its HTML page. */
interface TextFlags extends RowOptions {
  readonly html: string | undefined
  readonly 'with-state': boolean
}

/** Checks the combination of the flags for texts. Returns a usage error, or `undefined` if the combination is allowed. */
export const checkTextFlags = (flags: TextFlags): Failure | undefined => {
  const { html, rows, 'with-state': withState } = flags
  if (withState && rows !== undefined) return usage('--rows cannot be combined with --with-state')
  if (html === undefined && rows !== undefined) return usage('--rows needs --html')
  if (html === undefined && withState) return usage('--with-state needs --html')
  return checkRowOptions(flags)
}

/** The maximum length of a text on the page, in bytes. Longer texts are cut. */
const maxTextBytes = 300

/**
 * Describes a row by the names and values of its fields, or by the value of its only field. Leaves out the field that is the id of the
 * row, because the page shows it in another column. Redacts and cuts the text.
 */
const describeRow = (row: JsonValue, redact: Redact, id?: string): string => {
  const allCells = formatCells(row)
  const otherCellsThanId = allCells.filter(([, value]) => value !== id)
  const cells = otherCellsThanId.length === 0 ? allCells : otherCellsThanId
  const [onlyCell, ...otherCells] = cells
  const text =
    onlyCell !== undefined && otherCells.length === 0
      ? onlyCell[1]
      : cells.map(([name, value]) => `${name}: ${value}`).join(' · ')
  return cutWithEllipsis(redact(text), maxTextBytes)
}

/** Creates a function that describes the state of a record (the JSON that its questions are about) for the page. */
export const createStateReader =
  (redact: Redact): ReadText =>
  ({ document }) => {
    const state = memberIn(document, 'state')
    return state === undefined ? undefined : describeRow(state, redact)
  }

/**
 * Finds the texts of the most confident errors: with `--with-state` in their records, with `--rows` in the input of the run.
 * Resolves with a function that returns the text of an error; `undefined` without these flags. Fails with a usage error if a text is
 * missing.
 */
export const findErrorTexts = (
  runtime: Runtime,
  flags: TextFlags,
  { questions }: LabelledRun,
  redact: Redact,
): TE.TaskEither<Failure, ((error: ConfidentError) => string) | undefined> => {
  const errors = [...questions.values()].flatMap(({ confidentErrors }) => confidentErrors)
  if (flags['with-state'])
    return errors.some(({ text }) => text === undefined)
      ? TE.left(usage('--with-state: records lack "state", which svc batch --with-state writes'))
      : TE.right(({ text = '' }) => text)
  if (flags.rows === undefined) return TE.right(undefined)
  return pipe(
    readRowsOfRecords(runtime, flags, errors),
    TE.map((rows) => {
      const describeErrorRow = ({ index, id }: ConfidentError): string => {
        const row = rows.get(index)
        // The row of every listed error was read, so it is never missing.
        return row === undefined ? '' : describeRow(row, redact, id)
      }
      return describeErrorRow
    }),
  )
}
