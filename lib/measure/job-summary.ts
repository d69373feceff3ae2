import { writeInertMarkdown, writeMarkdownTable } from '../failure/text/markdown'
import { writeCount } from '../failure/text/table'
import type { Difference } from './compare/document'
import type { Evaluation } from './evaluate'
import { writeFigures } from './figures'
import { formatFigure } from './numbers'

/**
 * Writes the result of `svc eval` as Markdown for the job summary of a CI system: the limits that are not met, then the figures
 * of each question.
 */
export const writeEvaluationMarkdown = (
  { run, questions }: Evaluation,
  unmet: ReadonlyArray<string>,
): string => {
  const counts = `${writeCount(run.rows, 'row')}, ${run.answered} answered, ${run.labelled} labelled`
  const rows = [...questions].flatMap(([id, figures]) =>
    writeFigures(figures, formatFigure).map((cells) => [writeInertMarkdown(id), ...cells]),
  )
  const table = writeMarkdownTable(['Question', 'Figure', 'Value', '95 % from', 'to'], rows)
  return [writeHead('eval', unmet), counts, ...writeUnmet('not met', unmet), table].join('\n\n')
}

/** Writes the result of `svc compare` as Markdown for the job summary: the limits that are exceeded, then each question. */
export const writeDifferenceMarkdown = (
  { compared, questions }: Difference,
  exceeded: ReadonlyArray<string>,
): string => {
  const counts = `${compared.rows.a} and ${compared.rows.b} rows, ${compared.paired} paired`
  const rows = [...questions].map(([id, { question, agreement, kappa, meanShift, labelled }]) => {
    const { flipped, fixed, broken } = question.pairs
    const figures = [agreement, kappa, flipped, meanShift].map(formatFigure)
    const byLabels =
      labelled === undefined ? ['', '', ''] : [fixed, broken, labelled.holm].map(formatFigure)
    return [writeInertMarkdown(id), ...figures, ...byLabels]
  })
  const columns = ['Question', 'Agreement', 'Kappa', 'Flipped', 'Mean shift', 'Fixed', 'Broken']
  const table = writeMarkdownTable([...columns, 'p (Holm)'], rows)
  const head = writeHead('compare', exceeded)
  return [head, counts, ...writeUnmet('exceeded', exceeded), table].join('\n\n')
}

const writeHead = (command: string, failures: ReadonlyArray<string>): string =>
  `# svc ${command}: ${failures.length === 0 ? 'ok' : 'FAIL'}`

const writeUnmet = (word: string, texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.length === 0
    ? []
    : [texts.map((text) => `- ${word}: ${writeInertMarkdown(text)}`).join('\n')]
