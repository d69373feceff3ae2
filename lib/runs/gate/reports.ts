import { encodeText } from '../../codec/json/draft'
import { type JunitCase, writeJunit } from '../../failure/text/junit'
import { writeInertMarkdown, writeMarkdownTable } from '../../failure/text/markdown'
import { writeCount } from '../../failure/text/table'
import { describeValues } from './requirements'
import type { FailedRow, Verdict } from './tally'

/** Writes the result of `svc gate` as Markdown, for people and for the job summary of a CI system. R17 */
export const writeGateMarkdown = (verdict: Verdict, holds: boolean): string => {
  const { rows, passed, failed, unevaluable, errors, requirements, rowsFailed } = verdict
  const counts = `${passed} of ${writeCount(rows, 'row')} passed, ${failed} failed (${unevaluable} cannot be told), ${errors} were not answered`
  const blocks = [
    `# svc gate: ${holds ? 'holds' : 'FAIL'}`,
    counts,
    writeMarkdownTable(
      ['Requirement', 'Rows that fail it'],
      requirements.map((one) => [writeInertMarkdown(one.require), String(one.failed)]),
    ),
  ]
  return rowsFailed.length === 0
    ? blocks.join('\n\n')
    : [...blocks, writeMarkdownTable(['Row', 'Id', 'Values'], rowsFailed.map(listCells))].join(
        '\n\n',
      )
}

const listCells = (row: FailedRow): ReadonlyArray<string> => [
  String(row.index),
  row.id === undefined ? '' : writeInertMarkdown(encodeText(row.id)),
  writeInertMarkdown(describeValues(row.values)),
]

/**
 * Writes the result of `svc gate` as JUnit XML: a test case for each requirement, one for rows that were not
 * answered, and one for each failed row that is listed. R17
 */
export const writeGateJunit = (verdict: Verdict, allowErrors: boolean): string => {
  const { rows, errors, requirements, rowsFailed } = verdict
  const unanswered = { message: `${errors} of ${writeCount(rows, 'row')} were not answered` }
  const judged: ReadonlyArray<JunitCase> = [
    ...requirements.map(
      ({ require, failed }): JunitCase => ({
        name: require,
        ...(failed > 0 && {
          failure: { message: `${failed} of ${writeCount(rows, 'row')}`, type: 'gate' },
        }),
      }),
    ),
    {
      name: 'every row is answered',
      ...(errors > 0 && (allowErrors ? { skipped: unanswered } : { error: unanswered })),
    },
  ]
  const listed = rowsFailed.map((row): JunitCase => {
    const id = row.id === undefined ? '' : ` ${encodeText(row.id)}`
    return {
      name: `row ${row.index}${id}`,
      failure: { message: describeValues(row.values), type: 'gate' },
    }
  })
  return writeJunit('svc gate', [
    { name: 'requirements', cases: judged },
    { name: 'rows', cases: listed },
  ])
}
