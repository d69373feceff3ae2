import * as E from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { exitCodes } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { findJobSummary, reportToJob } from '../../lib/failure/job-summary'
import { sanitize } from '../../lib/failure/text/sanitize'
import { type CompareBounds, findExceeded } from '../../lib/measure/compare/bounds'
import { measureDifference } from '../../lib/measure/compare/difference'
import { encodeDifference, tabulateDifference } from '../../lib/measure/compare/difference-document'
import { formatDifferenceMarkdown } from '../../lib/measure/compare/job-summary'
import { RunPairing } from '../../lib/measure/compare/pair-runs'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { parseAllowance } from '../../lib/runs/gate/allowance'
import { openRunPair, type RunPair, readRunPair } from './run-pair'

/** The options of `svc compare`. */
interface CompareOptions extends LabelFlags {
  readonly 'by-id': boolean
  readonly 'max-flips': string | undefined
  readonly 'max-shift': number | undefined
  readonly significant: number | undefined
  readonly seed: number
  readonly table: boolean
}

type CompareContext = ContextWith<CompareOptions>

/** Runs `svc compare`: compares two runs row by row. */
export const runCompare =
  (context: CompareContext) => async (): Promise<E.Either<Failure, CommandResult>> => {
    const { runtime, flags, args } = context
    const bounds = parseBounds(flags)
    if (E.isLeft(bounds)) return bounds
    const runs = await openRunPair(runtime, args, flags, findJobSummary(runtime.env))
    if (E.isLeft(runs)) return runs
    const pairs = await pairRuns(context, runs.right)
    if (E.isLeft(pairs)) return pairs
    const difference = measureDifference(pairs.right, flags)
    const hasLabels = [...difference.questions.values()].some(
      ({ labelled }) => labelled !== undefined,
    )
    if (flags.significant !== undefined && !hasLabels)
      return E.left(usage('--significant needs labels'))
    const exceeded = findExceeded(bounds.right, difference)
    const lines = exceeded.map((text) => `svc: exceeded: ${sanitize(text)}\n`)
    await runtime.stderr.write(lines.join(''))
    await reportToJob(context, 'compare', formatDifferenceMarkdown(difference, exceeded))
    return E.right({
      stdout: flags.table
        ? tabulateDifference(difference)
        : { document: encodeDifference(difference) },
      exitCode: exceeded.length === 0 ? exitCodes.ok : exitCodes.flagged,
    })
  }

const parseBounds = (flags: CompareOptions): E.Either<Failure, CompareBounds> => {
  const text = flags['max-flips']
  const allowance = parseAllowance(text, '--max-flips')
  if (E.isLeft(allowance)) return allowance
  return E.right({
    flips: text === undefined ? undefined : { text, allowance: allowance.right },
    shift: flags['max-shift'],
    significant: flags.significant,
  })
}

/** Reads both runs, and pairs their rows. A label file replaces the labels in the runs. */
const pairRuns = async (
  { runtime, flags }: CompareContext,
  runs: RunPair,
): Promise<E.Either<Failure, ReturnType<RunPairing['finish']>>> => {
  const byId = flags['by-id']
  const pairing = new RunPairing(byId)
  const read = await readRunPair(runtime, runs, flags, (labels) => ({
    visitA: ({ record }) => pairing.addA(record),
    visitB: ({ record }) => {
      const unlabelled = labels === undefined ? record : { ...record, labels: new Map() }
      return pairing.addB(unlabelled)
    },
  }))
  if (E.isLeft(read)) return read
  const pairs = pairing.finish()
  if (pairs.paired === 0) return E.left(usage(explainNoPairs(runs, byId, pairs.met)))
  return E.right(pairs)
}

/** Explains why no two answers can be compared. `met` is the number of rows that are in both runs. */
const explainNoPairs = ({ a, b }: RunPair, byId: boolean, met: number): string => {
  if (met > 0) return `compare: no row was answered both in ${a.name} and in ${b.name}`
  return byId
    ? `compare: no id of ${a.name} is in ${b.name}`
    : `compare: no row of ${a.name} has the state and questions of one of ${b.name}; --by-id pairs rows by their id`
}
