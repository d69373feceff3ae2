import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { reportToJob } from '../../lib/failure/job-report'
import { checkDistinctFiles, filesOf, jobSummaryOf } from '../../lib/failure/named-files'
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

interface CompareFlags extends LabelFlags {
  readonly 'by-id': boolean
  readonly 'max-flips': string | undefined
  readonly 'max-shift': number | undefined
  readonly significant: number | undefined
  readonly seed: number
  readonly table: boolean
}

type CompareContext = ContextWith<CompareFlags>

/** Runs `svc compare`: compares two runs row by row. */
export const runCompare = (context: CompareContext): TE.TaskEither<Failure, CommandResult> => {
  const { runtime, flags } = context
  const [a = '', b = ''] = context.args
  return pipe(
    E.Do,
    E.bind('bounds', () => parseBounds(flags)),
    E.chainFirst(() => checkPaths(a, b)),
    E.let('sources', () => ({ a: openSource(a, runtime), b: openSource(b, runtime) })),
    TE.fromEither,
    TE.chainFirst(() => {
      const reads = [{ name: 'a', path: a }, { name: 'b', path: b }, ...filesOf(flags, 'labels')]
      return checkDistinctFiles(runtime.files, reads, jobSummaryOf(runtime.env))
    }),
    TE.bind('difference', ({ sources }) =>
      pipe(
        readLabelFile(runtime, flags),
        TE.chain((labels) => pairRuns(sources, flags['by-id'], labels)),
        TE.map((pairs) => measureDifference(pairs, flags)),
        TE.filterOrElse(
          ({ questions }) =>
            flags.significant === undefined ||
            [...questions.values()].some(({ labelled }) => labelled !== undefined),
          () => usage('--significant needs labels'),
        ),
      ),
    ),
    TE.let('over', ({ bounds, difference }) => findExceeded(bounds, difference)),
    TE.chainFirst(({ over }) => {
      const lines = over.map((text) => `svc: exceeded: ${sanitize(text)}\n`)
      return TE.fromTask(() => runtime.stderr.write(lines.join('')))
    }),
    TE.chainFirstTaskK(({ difference, over }) => () => {
      const markdown = writeDifferenceMarkdown(difference, over)
      return reportToJob(context, 'compare', markdown)
    }),
    TE.map(({ difference, over }) => ({
      stdout: flags.table
        ? tabulateDifference(difference)
        : { document: describeDifference(difference) },
      exit: over.length === 0 ? exitCode.ok : exitCode.flagged,
    })),
  )
}

const checkPaths = (a: string, b: string): E.Either<Failure, void> => {
  if (a === '-' && b === '-') return E.left(usage('only one of the runs can be read from stdin'))
  if (a !== '' && b !== '') return E.right(undefined)
  return E.left(usage(`the path of ${a === '' ? 'a' : 'b'} must not be empty`))
}

const parseBounds = (flags: CompareFlags): E.Either<Failure, CompareBounds> => {
  const { significant } = flags
  const text = flags['max-flips']
  return pipe(
    parseAllowance(text, '--max-flips'),
    E.map((allowance) => ({
      flips: text === undefined ? undefined : { text, allowance },
      shift: flags['max-shift'],
      significant,
    })),
  )
}

/** Reads both runs, and pairs their rows. If a labels file is given, the labels in the runs are ignored. */
const pairRuns = (
  sources: Readonly<Record<'a' | 'b', Source>>,
  byId: boolean,
  labels: LabelFile | undefined,
) => {
  const comparison = new Comparison(byId)
  const bare = (record: RunRecord): RunRecord =>
    labels === undefined ? record : { ...record, labels: new Map() }
  return pipe(
    readLabelledRecords(sources.b, undefined, ({ record }) => comparison.takeB(bare(record))),
    TE.chain(() =>
      readLabelledRecords(sources.a, labels, ({ record }) => comparison.takeA(record)),
    ),
    TE.map(() => comparison.finish()),
    TE.filterOrElse(
      ({ paired }) => paired > 0,
      ({ met }) => usage(explainNoPairs(sources, byId, met)),
    ),
  )
}

/** Explains why no two answers can be compared. `met` rows of one run are in the other. */
const explainNoPairs = (
  { a, b }: Readonly<Record<'a' | 'b', Source>>,
  byId: boolean,
  met: number,
): string => {
  if (met > 0) return `compare: no row was answered both in ${a.name} and in ${b.name}`
  return byId
    ? `compare: no id of ${a.name} is in ${b.name}`
    : `compare: no row of ${a.name} has the state and questions of one of ${b.name}; --by-id pairs rows by their id`
}
