import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../../lib/cli/command-result'
import type { ContextWith } from '../../../lib/cli/declaration'
import { type Failure, usage } from '../../../lib/failure/failure'
import { listJobSummaryFiles, reportToJob } from '../../../lib/failure/job-summary'
import { exitCodes } from '../../../lib/failure/report'
import { DecisionCollector } from '../../../lib/measure/drift/collect-decisions'
import {
  describeExceededDrift,
  encodeDrift,
  formatDriftMarkdown,
  tabulateDrift,
} from '../../../lib/measure/drift/drift-report'
import { measureDrift } from '../../../lib/measure/drift/measure-drift'
import type { LabelFlags } from '../../../lib/measure/labels/label-flags'
import { type InputRuns, openInputRuns, readInputRuns } from '../../../lib/measure/rows/input-runs'
import { sanitize } from '../../../lib/text/sanitize'

/** The options of `svc compare --unpaired`. */
interface UnpairedOptions extends LabelFlags {
  readonly 'by-id': boolean
  readonly 'max-flips': string | undefined
  readonly 'max-shift': number | undefined
  readonly significant: number | undefined
  readonly margin: number | undefined
  readonly seed: number
  readonly table: boolean
}

/** The flags about pairs of rows, or about labels. */
const pairedFlags = [
  'labels',
  'label',
  'id-field',
  'by-id',
  'max-flips',
  'margin',
] as const satisfies ReadonlyArray<keyof UnpairedOptions>

type UnpairedContext = ContextWith<UnpairedOptions, (typeof pairedFlags)[number]>

/**
 * Runs `svc compare --unpaired`: compares the decisions of two runs whose rows need not be the same, such as the answer logs of two days.
 * The exit code is 8 if a change exceeds a limit.
 */
export const runCompareUnpaired = async (context: UnpairedContext): Promise<CommandOutcome> => {
  const { runtime, flags, args, isPassed } = context
  const unused = pairedFlags.find(isPassed)
  if (unused !== undefined)
    return E.left(usage(`--unpaired compares neither rows nor labels: leave out --${unused}`))
  const runs = await openInputRuns(runtime, args, flags, listJobSummaryFiles(runtime.env))
  if (E.isLeft(runs)) return runs
  const collector = await collectDecisions(context, runs.right)
  if (E.isLeft(collector)) return collector
  const { rowCounts, answeredCounts } = collector.right
  const asked = collector.right.commonQuestions()
  if (asked.size === 0) return E.left(usage(explainNoQuestion(runs.right, answeredCounts)))
  const otherQuestions = collector.right.explainOtherQuestions()
  if (otherQuestions !== undefined)
    await runtime.stderr.write(`svc: compare: ${sanitize(otherQuestions)}\n`)
  const questions = measureDrift(asked, flags.seed)
  const drift = { counts: { rowCounts, answeredCounts }, seed: flags.seed, questions }
  const bounds = { significanceLevel: flags.significant, maxShift: flags['max-shift'] }
  const exceeded = describeExceededDrift(bounds, questions)
  const lines = exceeded.map((text) => `svc: exceeded: ${sanitize(text)}\n`)
  await runtime.stderr.write(lines.join(''))
  await reportToJob(context, 'compare', formatDriftMarkdown(drift, exceeded))
  return E.right({
    stdout: flags.table ? tabulateDrift(drift) : { document: encodeDrift(drift) },
    exitCode: exceeded.length === 0 ? exitCodes.ok : exitCodes.flagged,
  })
}

/** Reads both runs. */
const collectDecisions = async (
  { runtime, flags }: UnpairedContext,
  runs: InputRuns,
): Promise<E.Either<Failure, DecisionCollector>> => {
  const collector = new DecisionCollector()
  const read = await readInputRuns(runtime, runs, flags, () => ({
    visitA: ({ record }) => collector.add('a', record),
    visitB: ({ record }) => collector.add('b', record),
  }))
  return E.isLeft(read) ? read : E.right(collector)
}

const explainNoQuestion = (
  { a, b }: InputRuns,
  answered: DecisionCollector['answeredCounts'],
): string => {
  if (answered.a === 0) return `compare: no row of ${a.name} was answered`
  if (answered.b === 0) return `compare: no row of ${b.name} was answered`
  return `compare: ${a.name} and ${b.name} have no question in common`
}
