import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { type Failure, usage } from '../../lib/failure/failure'
import { listJobSummaryFiles, reportToJob } from '../../lib/failure/job-summary'
import { exitCodes } from '../../lib/failure/report'
import { type CompareBounds, describeExceeded } from '../../lib/measure/compare/bounds'
import { measureDifference } from '../../lib/measure/compare/difference'
import { encodeDifference } from '../../lib/measure/compare/difference-document'
import {
  formatDifferenceMarkdown,
  tabulateDifference,
} from '../../lib/measure/compare/difference-table'
import { type ComparedRuns, RunPairing } from '../../lib/measure/compare/pair-runs'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { noLabels } from '../../lib/measure/labels/labelled-record'
import { type InputRuns, openInputRuns, readInputRuns } from '../../lib/measure/rows/input-runs'
import { parseAllowance } from '../../lib/runs/gate/allowance'
import { sanitize } from '../../lib/text/sanitize'
import { chooseTextLayout } from '../../lib/text/terminal'
import { runCompareUnpaired } from './compare/compare-unpaired'

/** The options of `svc compare`. */
interface CompareOptions extends LabelFlags {
  readonly unpaired: boolean
  readonly 'by-id': boolean
  /** The maximum number or percentage of decisions that differ between the runs, such as `3` or `2%`. */
  readonly 'max-flips': string | undefined
  /** The maximum mean change of probabilities, from 0 to 1. */
  readonly 'max-shift': number | undefined
  /** The level of significance at which b must not be worse than a. */
  readonly significant: number | undefined
  /** The accuracy that b may lose at most, as the labels must show. */
  readonly margin: number | undefined
  readonly seed: number
  readonly table: boolean
}

type CompareContext = ContextWith<CompareOptions, keyof CompareOptions>

/**
 * Runs `svc compare`: compares the answers of two runs row by row. A run is the file of records that `svc batch` wrote, one for each
 * row. The exit code is 8 if a difference exceeds a bound.
 */
export const runCompare = async (context: CompareContext): Promise<CommandOutcome> => {
  const { runtime, flags, args } = context
  if (flags.unpaired) return runCompareUnpaired(context)
  const bounds = parseBounds(flags)
  if (E.isLeft(bounds)) return bounds
  const filesWritten = listJobSummaryFiles(runtime.env)
  const runs = await openInputRuns(runtime, args, flags, filesWritten)
  if (E.isLeft(runs)) return runs
  const pairs = await pairRuns(context, runs.right)
  if (E.isLeft(pairs)) return pairs
  const difference = measureDifference(pairs.right, flags)
  const hasLabels = [...difference.questions.values()].some(
    ({ labelled }) => labelled !== undefined,
  )
  for (const name of ['significant', 'margin'] as const)
    if (flags[name] !== undefined && !hasLabels) return E.left(usage(`--${name} needs labels`))
  const exceeded = describeExceeded(bounds.right, difference)
  await reportToJob(context, 'compare', formatDifferenceMarkdown(difference, exceeded))
  return E.right({
    stdout: flags.table
      ? { report: tabulateDifference(difference, chooseTextLayout(runtime.stdout, runtime.env)) }
      : { document: encodeDifference(difference) },
    messages: exceeded.map((text) => `svc: exceeded: ${sanitize(text)}`),
    exitCode: exceeded.length === 0 ? exitCodes.ok : exitCodes.flagged,
  })
}

const parseBounds = (flags: CompareOptions): E.Either<Failure, CompareBounds> => {
  const maxFlips = parseMaxFlips(flags['max-flips'])
  if (E.isLeft(maxFlips)) return maxFlips
  return E.right({
    maxFlips: maxFlips.right,
    maxShift: flags['max-shift'],
    significanceLevel: flags.significant,
    margin: flags.margin,
  })
}

const parseMaxFlips = (text: string | undefined): E.Either<Failure, CompareBounds['maxFlips']> => {
  if (text === undefined) return E.right(undefined)
  const allowance = parseAllowance(text, '--max-flips')
  return E.isLeft(allowance) ? allowance : E.right({ text, allowance: allowance.right })
}

/**
 * Reads both runs, and pairs their rows. The labels are those of the label file, otherwise those in the runs. Fails if no two
 * answers can be compared.
 */
const pairRuns = async (
  { runtime, flags }: CompareContext,
  runs: InputRuns,
): Promise<E.Either<Failure, ComparedRuns>> => {
  const byId = flags['by-id']
  const pairing = new RunPairing(byId)
  const read = await readInputRuns(runtime, runs, flags, (labelFile) => ({
    // With a label file, the labels of a already come from it. The labels in b are dropped, because labels that differ from those of a
    // would be a fault.
    visitA: ({ record }) => pairing.addA(record),
    visitB: ({ record }) =>
      pairing.addB(labelFile === undefined ? record : { ...record, labels: noLabels }),
  }))
  if (E.isLeft(read)) return read
  const pairs = pairing.finish()
  if (pairs.pairedRowCount === 0) return E.left(usage(explainNoPairs(runs, byId, pairs.rowsInBoth)))
  return E.right(pairs)
}

/** Explains why no two answers can be compared. */
const explainNoPairs = ({ a, b }: InputRuns, byId: boolean, rowsInBoth: number): string => {
  if (rowsInBoth > 0) return `compare: no row was answered both in ${a.name} and in ${b.name}`
  return byId
    ? `compare: no row of ${a.name} has the same id as a row of ${b.name}`
    : `compare: no row of ${a.name} has the same state and questions as a row of ${b.name}; use --by-id to pair rows by their id`
}
