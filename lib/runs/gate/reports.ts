import { encodeText, plainText } from '../../codec/json/draft'
import { formatJunit, type JunitCase } from '../../failure/text/junit'
import { formatInertMarkdown, formatMarkdownTable } from '../../failure/text/markdown'
import { formatCount } from '../../failure/text/table'
import { describeValues } from './requirements'
import type { FailedRow, GateVerdict, JudgedRow, RowName } from './tally'

/** The result of `svc gate`. */
export interface GateReport {
  readonly verdict: GateVerdict
  /** The reason why the gate fails; `undefined` if it holds. */
  readonly failureReason: string | undefined
  /** `true` if `--allow` tolerates the failed rows. */
  readonly toleratesFailed: boolean
  readonly allowErrors: boolean
  /** The texts of failed rows by index. Empty without `--rows`. */
  readonly texts: ReadonlyMap<number, string>
}

/** Formats the result of `svc gate` as Markdown, for a terminal and for the job summary of a CI system. */
export const formatGateMarkdown = ({ verdict, failureReason, texts }: GateReport): string => {
  const { rows, passed, failed, unevaluable, errors, requirements, rowsFailed } = verdict
  const counts = `${passed} of ${formatCount(rows, 'row')} passed, ${failed} failed (${unevaluable} cannot be judged), ${errors} were not answered`
  const requirementTable = formatMarkdownTable(
    ['Requirement', 'Rows that fail it'],
    requirements.map(({ require, failed: count }) => [formatInertMarkdown(require), String(count)]),
  )
  const blocks = [
    `# svc gate: ${failureReason === undefined ? 'holds' : 'FAIL'}`,
    counts,
    requirementTable,
  ]
  if (rowsFailed.length === 0) return blocks.join('\n\n')
  const hasTexts = texts.size > 0
  const failedTable = formatMarkdownTable(
    ['Row', 'Index', 'Id', 'Values', ...(hasTexts ? ['Text'] : [])],
    rowsFailed.map((row) => [
      ...listCells(row),
      ...(hasTexts ? [formatInertMarkdown(texts.get(row.index) ?? '')] : []),
    ]),
  )
  return [...blocks, failedTable].join('\n\n')
}

const listCells = ({ index, id, values }: FailedRow): ReadonlyArray<string> => [
  String(index + 1),
  String(index),
  id === undefined ? '' : formatInertMarkdown(encodeText(id)),
  formatInertMarkdown(describeValues(values)),
]

/**
 * Formats the result of `svc gate` as JUnit XML, with a test case for each row. Failed rows that `--allow` or `--allow-errors`
 * tolerates are skipped tests. So a test fails if and only if the exit code is 8.
 */
export const formatGateJunit = (report: GateReport): string => {
  const cases = report.verdict.judged.map((row) => describeCase(row, report))
  const isFailed = cases.some(({ failure, error }) => failure !== undefined || error !== undefined)
  const { failureReason } = report
  const reason: ReadonlyArray<JunitCase> =
    failureReason === undefined || isFailed
      ? []
      : [{ name: 'the gate holds', failure: { message: failureReason, type: 'gate' } }]
  return formatJunit('svc gate', [{ name: 'rows', cases: [...cases, ...reason] }])
}

const describeCase = (row: JudgedRow, report: GateReport): JunitCase => {
  const name = nameRow(row)
  if ('passed' in row) return { name }
  if ('error' in row) {
    const error = { message: `not answered: ${row.error}` }
    return report.allowErrors ? { name, skipped: error } : { name, error }
  }
  const text = report.texts.get(row.index)
  const values = describeValues(row.values)
  const message = text === undefined ? values : `${values}: ${text}`
  return report.toleratesFailed
    ? { name, skipped: { message: `tolerated by --allow: ${message}` } }
    : { name, failure: { message, type: 'gate' } }
}

/** Formats the name of a row: its number from 1, its index and its id. */
const nameRow = ({ index, id }: RowName): string =>
  `row ${index + 1} (index ${index}${id === undefined ? '' : `, id ${plainText(id)}`})`
