import { plainText } from '../../codec/json/draft'
import { alignTable } from '../../text/table'
import type { TextLayout } from '../../text/terminal'
import { describeGateCounts, type GateReport } from './reports'
import { describeValues } from './requirements'

/** Formats the result of `svc gate` for a terminal: the verdict, then a table of the requirements, then one of the failed rows. */
export const formatGateTable = (report: GateReport, layout: TextLayout): string => {
  const { verdict, failureReason } = report
  const verdictWord =
    failureReason === undefined ? layout.paint('green', 'holds') : layout.paint('red', 'FAIL')
  const textColumnCount = 1
  const requirements = alignTable(
    textColumnCount,
    ['requirement', 'rows that fail it'],
    verdict.requirements.map(({ require: text, failed }) => [text, String(failed)]),
    { ...layout, decisive: 'rows that fail it' },
  )
  const blocks = [`svc gate: ${verdictWord}`, describeGateCounts(verdict), requirements]
  if (verdict.failedRows.length > 0) blocks.push(formatFailedRows(report, layout))
  return blocks.join('\n\n')
}

/** Formats a table of failed rows. It has their texts only if `rowTexts` is not empty. The column that ends the table is the widest. */
const formatFailedRows = ({ verdict, rowTexts }: GateReport, layout: TextLayout): string => {
  const hasTexts = rowTexts.size > 0
  const rows = verdict.failedRows.map(({ index, id, values }) => [
    String(index + 1),
    String(index),
    id === undefined ? '' : plainText(id),
    describeValues(values),
    // A row without a text gets an empty cell.
    ...(hasTexts ? [rowTexts.get(index) ?? ''] : []),
  ])
  const columns = ['row', 'index', 'id', 'values', ...(hasTexts ? ['text'] : [])]
  // All columns are aligned to the left, and the last one is cut if the terminal is too narrow.
  return alignTable(columns.length, columns, rows, layout)
}
