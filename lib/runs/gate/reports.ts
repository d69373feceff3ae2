import { encodeText, plainText } from '../../codec/json/draft'
import { formatJunit, type JunitCase } from '../../text/junit'
import { formatInertMarkdown, formatMarkdownTable } from '../../text/markdown'
import { formatCount } from '../../text/table'
import { describeValues } from './requirements'
import type { FailedRow, GateVerdict, JudgedRow, RowIdentity } from './tally'

/** The result of `svc gate`. */
export interface GateReport {
  readonly verdict: GateVerdict
  /** The reason why the gate fails; `undefined` if it holds. */
  readonly failureReason: string | undefined
  /** `true` if `--allow` tolerates the number of failed rows. */
  readonly toleratesFailures: boolean
  /** `true` if `--allow-errors` tolerates rows without answers. */
  readonly toleratesErrors: boolean
  /** The texts of failed rows by index. Empty without `--rows`. */
  readonly rowTexts: ReadonlyMap<number, string>
}

/** Describes how many rows passed, failed and were not answered. */
export const describeGateCounts = ({
  rows,
  passed,
  failed,
  unevaluable,
  errors,
}: GateVerdict): string =>
  `${passed} of ${formatCount(rows, 'row')} passed, ${failed} failed (${unevaluable} cannot be judged), ${errors} were not answered`

/** Formats the result of `svc gate` as Markdown, for a file and for the job summary of a CI system. */
export const formatGateMarkdown = ({ verdict, failureReason, rowTexts }: GateReport): string => {
  const { requirements, failedRows } = verdict
  const requirementTable = formatMarkdownTable(
    ['Requirement', 'Rows that fail it'],
    requirements.map(({ require: text, failed: failures }) => [
      formatInertMarkdown(text),
      String(failures),
    ]),
  )
  const blocks = [
    `# svc gate: ${failureReason === undefined ? 'holds' : 'FAIL'}`,
    describeGateCounts(verdict),
    requirementTable,
  ]
  if (failedRows.length > 0) blocks.push(formatFailedRows(failedRows, rowTexts))
  return blocks.join('\n\n')
}

/** Formats a table of failed rows. It has their texts only if `rowTexts` is not empty. */
const formatFailedRows = (
  failedRows: ReadonlyArray<FailedRow>,
  rowTexts: GateReport['rowTexts'],
): string => {
  const columns = ['Row', 'Index', 'Id', 'Fails', 'Values']
  if (rowTexts.size === 0) return formatMarkdownTable(columns, failedRows.map(listCells))
  return formatMarkdownTable(
    [...columns, 'Text'],
    failedRows.map((row) => [
      ...listCells(row),
      // A row without a text gets an empty cell.
      formatInertMarkdown(rowTexts.get(row.index) ?? ''),
    ]),
  )
}

/** Returns the cells of a failed row: its number from 1, its index from 0, its id, the requirements that it fails and its values. */
const listCells = (row: FailedRow): ReadonlyArray<string> => [
  String(row.index + 1),
  String(row.index),
  row.id === undefined ? '' : formatInertMarkdown(encodeText(row.id)),
  formatInertMarkdown(listUnmet(row)),
  formatInertMarkdown(describeValues(row.values)),
]

/** Lists the requirements that a row does not meet: `billing.noul >= 0.8; tone.top > 0.5`. */
const listUnmet = ({ result }: FailedRow): string =>
  [...result.failed, ...result.unevaluable].join('; ')

/**
 * Formats the result of `svc gate` as JUnit XML, with a test case for each row. Failed rows that `--allow` tolerates and unanswered
 * rows that `--allow-errors` tolerates are skipped tests. So a test fails if and only if the exit code is 8.
 */
export const formatGateJunit = (report: GateReport): string => {
  const { verdict, failureReason } = report
  const cases = verdict.judgedRows.map((row) => createCase(row, report))
  const hasFailedCase = cases.some(
    ({ failure, error }) => failure !== undefined || error !== undefined,
  )
  // For example, `--pin` makes a gate fail without a failed row.
  if (failureReason !== undefined && !hasFailedCase)
    cases.push({ name: 'the gate holds', failure: { message: failureReason, type: 'gate' } })
  return formatJunit('svc gate', [{ name: 'rows', cases }])
}

const createCase = (row: JudgedRow, report: GateReport): JunitCase => {
  const name = formatRowName(row)
  if ('passed' in row) return { name }
  if ('error' in row) {
    const reason = { message: `not answered: ${row.error}` }
    return report.toleratesErrors ? { name, skipped: reason } : { name, error: reason }
  }
  const text = report.rowTexts.get(row.index)
  const cause = `${listUnmet(row)} (${describeValues(row.values)})`
  const message = text === undefined ? cause : `${cause}: ${text}`
  return report.toleratesFailures
    ? { name, skipped: { message: `tolerated by --allow: ${message}` } }
    : { name, failure: { message, type: 'gate' } }
}

/** Formats the name of a row: its number from 1, its index from 0, and its id if it has one. */
const formatRowName = ({ index, id }: RowIdentity): string =>
  `row ${index + 1} (index ${index}${id === undefined ? '' : `, id ${plainText(id)}`})`
