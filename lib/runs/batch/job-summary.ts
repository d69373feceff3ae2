import { writeInertMarkdown, writeMarkdownTable } from '../../failure/text/markdown'
import { formatCount } from '../../failure/text/table'
import type { Summary } from './summary'

/** Writes how a run of `svc batch --require` ended as Markdown, for the job summary of a CI system. */
export const writeBatchMarkdown = (summary: Summary, repeat: number, exit: number): string => {
  const { records, answered, failed, gate, errors, first } = summary
  const head = `# svc batch: ${exit === 0 ? 'holds' : 'FAIL'}`
  const rows = Math.ceil(records / repeat)
  const answers = formatCount(answered, 'answered row', 'meets', 'meet')
  const counts = `${formatCount(rows, 'row')}, ${answered} answered, ${failed} failed. ${gate.passed} of ${answers} the requirements.`
  if (first === undefined) return [head, counts].join('\n\n')
  const table = writeMarkdownTable(
    ['Error', 'Rows'],
    [...errors].map(([kind, count]) => [writeInertMarkdown(kind), String(count)]),
  )
  const firstError = `First error, row ${first.index + 1}: ${writeInertMarkdown(first.error.message)}`
  return [head, counts, table, firstError].join('\n\n')
}
