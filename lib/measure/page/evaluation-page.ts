import { formatCount } from '../../failure/text/table'
import type { Evaluation } from '../evaluate/evaluation'
import type { QuestionFigures } from '../evaluate/figures'
import type { ConfidentError } from '../rows/labelled-run'
import type { RunShares } from '../share/shares'
import { formatHtmlDocument } from './html-document'
import { escapeText, formatDetails, formatPercentCell, formatTable, type PageTable } from './markup'
import { formatFiguresTable, formatQuestionSection } from './section'

/** The sources of the page: files, texts of rows, and shares. */
export interface Provenance {
  /** The name of the run's file. */
  readonly run: string
  /** The path of the label file; `undefined` if the labels are in the run. */
  readonly labels: string | undefined
  readonly version: string
  /** Returns the text of a row, redacted and cut; `undefined` if the page shows no texts. */
  readonly textOf: ((error: ConfidentError) => string) | undefined
  /** The shares of all rows; `undefined` if the run has only drawn rows. */
  readonly shares: RunShares | undefined
}

/** Formats the HTML page of a run's figures: a single file without scripts, which loads nothing. */
export const formatEvaluationPage = (evaluation: Evaluation, provenance: Provenance): string => {
  const { run, questions, groups } = evaluation
  const sections = [...questions].flatMap(([id, figures], place) => {
    const rows = run.questions.get(id)
    if (rows === undefined) return []
    const shares = provenance.shares?.questions.get(id)
    return [
      formatQuestionSection({
        name: nameSection(place),
        id,
        figures,
        rows,
        shares,
        textOf: provenance.textOf,
      }),
    ]
  })
  const grouped = [...(groups ?? [])].map(
    ([name, ofGroup]) =>
      `<h2>Group ${escapeText(name)}</h2>${[...ofGroup].map(([id, figures]) => `<h3>${escapeText(id)}</h3>${formatFiguresTable(`${id} in group ${name}`, figures)}`).join('')}`,
  )
  return formatHtmlDocument(
    `svc eval: ${provenance.run}`,
    `<h1>How right are the answers?</h1>
${formatProvenance(evaluation, provenance)}
${formatTable('All questions', tabulateOverview(questions), (row) => `#${nameSection(row)}`)}
<p class="soft">Ranges are 95 % intervals. Better than the commonest answer: yes, if the whole interval of the accuracy is above what always giving that answer would reach. Calibration is fine if the distance between probabilities and what came true is no larger than perfect probabilities show by chance in 95 % of cases.</p>
${[...sections, ...grouped].join('\n')}
${formatNextSteps(evaluation)}`,
  )
}

/** Formats the section that suggests what to do next. */
const formatNextSteps = ({ run, questions }: Evaluation): string => {
  const isWeighted = [...questions.values()].some(({ evidence }) => evidence.isWeighted)
  const steps = [
    'Read the most confident errors. A label may be wrong, or a question unclear: change its wording and ask again, and <code>svc compare</code> says whether that helped.',
    `If too few rows pass, label more: <code>svc sample</code> with a larger <code>-n</code> and <code>--labels</code> keeps the ${formatCount(run.labelled, 'label')} that you have. <code>svc calibrate --plan --target accuracy=0.95</code> says how many it takes.`,
    'If enough rows pass, <code>svc calibrate --target accuracy=0.95 -o policy.json</code> writes down which answers to accept, and <code>svc batch --policy policy.json</code> applies it. It corrects the probabilities first if labels show how, so it may accept more or fewer rows than the lists above say.',
  ]
  const counts = isWeighted
    ? '<p class="soft">Counts are labelled rows as they are. Shares and all other figures weigh each row by its chance to be drawn, and so are those of the whole run.</p>'
    : ''
  return `<section><h2>What to do next</h2><ol>${steps.map((step) => `<li>${step}</li>`).join('')}</ol>${counts}</section>`
}

/** Returns the anchor of a question's section. */
const nameSection = (place: number): string => `question-${place + 1}`

const formatProvenance = (
  { run, draws, questions }: Evaluation,
  { run: file, labels, version }: Provenance,
): string => {
  const evidence = [...questions.values()].map((figures) => figures.evidence)
  const groups = Math.max(0, ...evidence.map((one) => one.groups ?? 0))
  const digests = run.questionsSha256.map((digest) => digest.slice(0, 12)).join(', ')
  const lines = [
    ['run', `${file}: ${formatCount(run.rows, 'row')}, ${run.answered} answered`],
    [
      'labels',
      `${labels === undefined ? 'of the run' : labels}: ${formatCount(run.labelled, 'row')}${groups > 0 ? `, in ${formatCount(groups, 'group')}` : ''}`,
    ],
    [run.models.length > 1 ? 'models' : 'model', run.models.join(', ')],
    ...(digests === '' ? [] : [['questions', `SHA-256 ${digests}`]]),
    [
      'method',
      `intervals are Wilson’s for shares of rows, else a bootstrap of ${draws.draws} draws with seed ${draws.seed}; svc ${version}`,
    ],
  ]
  return formatDetails(lines)
}

/** Returns the table at the top of the page: a row for each question. */
const tabulateOverview = (questions: Evaluation['questions']): PageTable => ({
  columns: [
    'question',
    'type',
    'labelled',
    'worth',
    'right',
    '95 %',
    'commonest answer',
    'better than that',
    'calibration',
  ],
  rows: [...questions].map(([id, figures]) => {
    const { share, interval } = accuracyOf(figures)
    const { baseline, evidence } = figures
    return [
      id,
      figures.type,
      String(figures.n),
      String(Math.round(evidence.nEffective)),
      formatPercentCell(share),
      interval === undefined ? '–' : formatRange(interval),
      formatPercentCell(baseline.accuracy),
      interval && interval.low > (baseline.accuracy ?? 1) ? 'yes' : 'not shown',
      judgeCalibration(figures),
    ]
  }),
  text: [0],
  words: [1, 7, 8],
})

const accuracyOf = ({ type, figures, intervals }: QuestionFigures) => {
  const name = type === 'score' ? 'exact' : 'accuracy'
  return { share: figures[name] ?? null, interval: intervals[name] }
}

const formatRange = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `${formatPercentCell(low)} to ${formatPercentCell(high)}`

/**
 * Judges the calibration by the simulated limit. That limit ignores groups, which make larger errors of calibration likely by
 * chance.
 */
const judgeCalibration = ({ figures, eceLimit, evidence }: QuestionFigures): string => {
  const { ece } = figures
  if (ece === undefined || ece === null || eceLimit === null) return '–'
  if (ece <= eceLimit) return 'fine'
  return evidence.designEffect > 1 ? 'unclear: rows of a group are alike' : 'none'
}
