import { formatCount } from '../../text/table'
import type { Evaluation } from '../evaluate/evaluation'
import { accuracyOf, type QuestionFigures } from '../evaluate/figures'
import { judgeCalibration } from '../evaluate/judge-calibration'
import { findPassingRows } from '../evaluate/passing-rows'
import type { RunShares } from '../share/shares'
import type { Interval } from '../statistics/intervals'
import { formatHtmlDocument } from './html-document'
import {
  type Detail,
  escapeText,
  formatDetails,
  formatPercentCell,
  formatTable,
  type PageTable,
} from './markup'
import { formatOverviewChart } from './overview-chart'
import {
  type AssessedQuestion,
  type ErrorTextOf,
  formatFiguresTable,
  formatQuestionSection,
} from './section'

/** The files and data that the page shows in addition to the figures. */
export interface EvaluationOrigin {
  /** The file of the run. */
  readonly run: string
  /** The label file; `undefined` if the labels are in the run. */
  readonly labels: string | undefined
  readonly version: string
  readonly textOf: ErrorTextOf
  /** The shares of all rows of the run; `undefined` if the file has only drawn rows. */
  readonly shares: RunShares | undefined
}

/** Explains the columns of the table of all questions. */
const overviewNote =
  'Ranges are 95 % intervals. “most common answer” is the accuracy of always giving that answer, and “better than that” is yes if the whole interval of the accuracy is above it. “surely” means with 95 % confidence. Calibration shows no error if its error is not larger than 95 % of perfectly calibrated sources would show by chance.'

/** Formats the HTML page of a run's figures: a single file without scripts, which loads nothing. */
export const formatEvaluationPage = (evaluation: Evaluation, origin: EvaluationOrigin): string => {
  const { questions, groups } = evaluation
  const assessed = new Map(
    Array.from(questions, ([id, figures]): [string, AssessedQuestion] => [
      id,
      { figures, passing: findPassingRows(figures.rows) },
    ]),
  )
  const sections = [...assessed].map(([id, question], i) => {
    const shares = origin.shares?.questions.get(id)
    return formatQuestionSection(createAnchor(i), id, question, shares, origin.textOf)
  })
  const groupSections = [...(groups ?? [])].map(([name, figures]) =>
    formatGroupSection(name, figures),
  )
  return formatHtmlDocument(
    `svc eval: ${origin.run}`,
    `<h1>How right are the answers?</h1>
${formatOrigin(evaluation, origin)}
${formatOverviewChart(assessed, createAnchor)}
<details class="figures"><summary>All figures of this chart</summary>${formatTable('All questions', tabulateOverview(questions))}
<p class="soft">${overviewNote}</p></details>
${[...sections, ...groupSections].join('\n')}
${formatNextSteps(evaluation)}`,
  )
}

const formatGroupSection = (
  name: string,
  questions: ReadonlyMap<string, QuestionFigures>,
): string => {
  const tables = [...questions].map(([id, figures]) => {
    const table = formatFiguresTable(`${id} in group ${name}`, figures)
    return `<h3>${escapeText(id)}</h3>${table}`
  })
  return `<h2>Group ${escapeText(name)}</h2>${tables.join('')}`
}

const formatNextSteps = ({ run, questions }: Evaluation): string => {
  const isWeighted = [...questions.values()].some(({ evidence }) => evidence.isWeighted)
  const steps = [
    'Read the most confident errors. If a label is wrong, correct it. If a question is unclear, change its wording and ask again: <code>svc compare</code> shows if that helped.',
    `If too few rows pass, label more. <code>svc sample</code> with a larger <code>-n</code> and <code>--labels</code> keeps your ${formatCount(run.labelledCount, 'label')}. <code>svc calibrate --plan --target accuracy=0.95</code> shows how many labels you need.`,
    'If enough rows pass, write a policy with <code>svc calibrate --target accuracy=0.95 -o policy.json</code>, and apply it with <code>svc batch --policy policy.json</code>.',
  ]
  const note = isWeighted
    ? '<p class="soft">Counts are counts of labelled rows. All other figures weight each row by its chance of being drawn, so they are figures of the whole run.</p>'
    : ''
  return `<section><h2>What to do next</h2><ol>${steps.map((step) => `<li>${step}</li>`).join('')}</ol>${note}</section>`
}

/** Returns the anchor of the section about the question at an index, which begins at 0. */
const createAnchor = (questionIndex: number): string => `question-${questionIndex + 1}`

/** Formats the list of files, models and methods at the top of the page. */
const formatOrigin = (evaluation: Evaluation, origin: EvaluationOrigin): string => {
  const { run, bootstrap, questions } = evaluation
  const groupCounts = [...questions.values()].map(({ evidence }) => evidence.groupCount ?? 0)
  // A question may lack answers or labels for some groups. The page shows the largest count.
  const groupCount = Math.max(0, ...groupCounts)
  const inGroups = groupCount > 0 ? `, in ${formatCount(groupCount, 'group')}` : ''
  const labelled = formatCount(run.labelledCount, 'row')
  const details: Detail[] = [
    ['run', `${origin.run}: ${formatCount(run.rowCount, 'row')}, ${run.answeredCount} answered`],
    ['labels', `${origin.labels ?? 'in the run'}: ${labelled}${inGroups}`],
    [run.models.length > 1 ? 'models' : 'model', run.models.join(', ')],
  ]
  const digests = run.questionsSha256.map((digest) => digest.slice(0, 12))
  if (digests.length > 0) details.push(['questions', `SHA-256 ${digests.join(', ')}`])
  const method = `Wilson’s intervals for shares of rows, otherwise a bootstrap of ${bootstrap.draws} draws with seed ${bootstrap.seed}; svc ${origin.version}`
  details.push(['method', method])
  return formatDetails(details)
}

/** Tabulates the accuracy and calibration of each question. `worth` is the number of independent rows that give as much evidence. */
const tabulateOverview = (questions: Evaluation['questions']): PageTable => ({
  columns: [
    'question',
    'type',
    'labelled',
    'worth',
    'right',
    '95 %',
    'most common answer',
    'better than that',
    'calibration',
  ],
  rows: [...questions].map(([id, figures]) => {
    const { accuracy, interval } = accuracyOf(figures)
    const { baseline, evidence } = figures
    // Nothing is better than an unknown baseline: no accuracy is above 1.
    const isBetter = interval !== undefined && interval.low > (baseline.accuracy ?? 1)
    return [
      id,
      figures.type,
      String(figures.labelledRows),
      String(Math.round(evidence.effectiveRows)),
      formatPercentCell(accuracy),
      interval === undefined ? '–' : formatRange(interval),
      formatPercentCell(baseline.accuracy),
      isBetter ? 'yes' : 'not shown',
      describeCalibration(figures),
    ]
  }),
  textColumns: ['question'],
  wordColumns: ['type', 'better than that', 'calibration'],
})

const formatRange = ({ low, high }: Interval): string =>
  `${formatPercentCell(low)} to ${formatPercentCell(high)}`

const describeCalibration = (figures: QuestionFigures): string => {
  const verdict = judgeCalibration(figures)
  return verdict === 'no error shown'
    ? `${verdict} with ${formatCount(figures.labelledRows, 'label')}`
    : verdict
}
