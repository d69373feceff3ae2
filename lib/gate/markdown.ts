import { textOf } from '../json/json'
import { writeInertMarkdown, writeMarkdownTable } from '../text/markdown'
import { writeCount } from '../text/table'
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
  row.id === undefined ? '' : writeInertMarkdown(textOf(row.id)),
  writeInertMarkdown(describeValues(row.values)),
]
