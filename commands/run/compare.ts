import * as E from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { reportToJob } from '../../lib/failure/job-report'
import { checkDistinctFiles, findJobSummary, listNamedFiles } from '../../lib/failure/named-files'
import { sanitize } from '../../lib/failure/text/harmless'
import { type CompareBounds, findExceeded } from '../../lib/measure/compare/bounds'
import { Comparison } from '../../lib/measure/compare/comparison'
import {
  describeDifference,
  measureDifference,
  tabulateDifference,
} from '../../lib/measure/compare/document'
import { writeDifferenceMarkdown } from '../../lib/measure/compare/job-summary'
import type { LabelFlags } from '../../lib/measure/labels/flags'
import { type LabelFile, readLabelFile } from '../../lib/measure/labels/label-file'
import { readLabelledRecords } from '../../lib/measure/labels/read-labelled'
import { parseAllowance } from '../../lib/runs/gate/allowance'
import type { RunRecord } from '../../lib/runs/record/decode'
import { openSource, type Source } from '../../lib/runs/record/source'

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
    const { runtime, flags } = context
    const [a = '', b = ''] = context.args
    const bounds = parseBounds(flags)
    if (E.isLeft(bounds)) return bounds
    const checked = await checkFiles(context, a, b)
    if (E.isLeft(checked)) return checked
    const labels = await readLabelFile(runtime, flags)()
    if (E.isLeft(labels)) return labels
    const sources = { a: openSource(a, runtime), b: openSource(b, runtime) }
    const pairs = await pairRuns(sources, flags['by-id'], labels.right)
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
    await reportToJob(context, 'compare', writeDifferenceMarkdown(difference, exceeded))
    return E.right({
      stdout: flags.table
        ? tabulateDifference(difference)
        : { document: describeDifference(difference) },
      exit: exceeded.length === 0 ? exitCode.ok : exitCode.flagged,
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

/** Checks the paths of the runs, and that the job summary changes none of the inputs. */
const checkFiles = async (
  { runtime, flags }: CompareContext,
  a: string,
  b: string,
): Promise<E.Either<Failure, void>> => {
  if (a === '-' && b === '-') return E.left(usage('only one of the runs can be read from stdin'))
  if (a === '' || b === '')
    return E.left(usage(`the path of ${a === '' ? 'a' : 'b'} must not be empty`))
  const reads = [{ name: 'a', path: a }, { name: 'b', path: b }, ...listNamedFiles(flags, 'labels')]
  return checkDistinctFiles(runtime.files, reads, findJobSummary(runtime.env))()
}

type ComparedSources = Readonly<Record<'a' | 'b', Source>>

/** Reads both runs, and pairs their rows. A label file replaces the labels in the runs. */
const pairRuns = async (
  sources: ComparedSources,
  byId: boolean,
  labels: LabelFile | undefined,
): Promise<E.Either<Failure, ReturnType<Comparison['finish']>>> => {
  const comparison = new Comparison(byId)
  const dropLabels = (record: RunRecord): RunRecord =>
    labels === undefined ? record : { ...record, labels: new Map() }
  const readB = await readLabelledRecords(sources.b, undefined, ({ record }) =>
    comparison.takeB(dropLabels(record)),
  )()
  if (E.isLeft(readB)) return readB
  const readA = await readLabelledRecords(sources.a, labels, ({ record }) =>
    comparison.takeA(record),
  )()
  if (E.isLeft(readA)) return readA
  const pairs = comparison.finish()
  if (pairs.paired === 0) return E.left(usage(explainNoPairs(sources, byId, pairs.met)))
  return E.right(pairs)
}

/** Explains why no two answers can be compared. `met` is the number of rows that are in both runs. */
const explainNoPairs = ({ a, b }: ComparedSources, byId: boolean, met: number): string => {
  if (met > 0) return `compare: no row was answered both in ${a.name} and in ${b.name}`
  return byId
    ? `compare: no id of ${a.name} is in ${b.name}`
    : `compare: no row of ${a.name} has the state and questions of one of ${b.name}; --by-id pairs rows by their id`
}
