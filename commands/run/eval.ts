import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Result } from '../../lib/cli/declaration'
import type { Flags } from '../../lib/cli/flags'
import { exitCode } from '../../lib/failure/classify'
import type { Failure } from '../../lib/failure/failure'
import { checkOutputs, filesOf } from '../../lib/failure/named-files'
import { sanitize } from '../../lib/failure/text/harmless'
import { findErrorTexts, findTextFault, readStateText } from '../../lib/measure/error-texts'
import { tabulateEvaluation } from '../../lib/measure/eval-table'
import {
  describeEvaluation,
  type Evaluation,
  evaluate,
  refuseGroups,
} from '../../lib/measure/evaluate'
import { refuseUnlabelled } from '../../lib/measure/labelled'
import type { LabelFlags } from '../../lib/measure/labels/flags'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import { readLabelled } from '../../lib/measure/labels/read-labelled'
import { findUnmet, parseLimits } from '../../lib/measure/limits'
import { savePage } from '../../lib/measure/page/outputs'
import { openSource } from '../../lib/runs/record/source'
import type { RowFlags } from '../../lib/runs/rows/flags'

/** What `svc eval` needs of its flags. */
interface EvalFlags extends LabelFlags, RowFlags {
  readonly 'by-group': boolean
  readonly seed: number
  readonly min: ReadonlyArray<string>
  readonly max: ReadonlyArray<string>
  readonly table: boolean
  readonly html: string | undefined
  readonly 'with-state': boolean
}

type EvalContext = Omit<Context<Flags>, 'flags' | 'given'> & {
  readonly flags: EvalFlags
}

/** Runs `svc eval`: measures a run against its labels. */
export const runEval = (context: EvalContext): TE.TaskEither<Failure, Result> => {
  const { runtime, flags } = context
  const reads = filesOf(flags, 'input', 'labels', 'rows')
  return pipe(
    TE.Do,
    TE.bind('minima', () => TE.fromEither(parseLimits('--min', flags.min))),
    TE.bind('maxima', () => TE.fromEither(parseLimits('--max', flags.max))),
    TE.chainFirstEitherK(() => checkTextFlags(context)),
    TE.chainFirst(() => checkOutputs(runtime.files, reads, filesOf(flags, 'html'), 'page')),
    TE.bind('evaluation', () => measureRun(context)),
    TE.bind('unmet', ({ minima, maxima, evaluation }) =>
      TE.fromEither(findUnmet([...minima, ...maxima], evaluation)),
    ),
    TE.chainFirst(({ evaluation }) => drawPage(context, evaluation)),
    TE.chainFirst(({ unmet }) => TE.fromTask(() => reportUnmet(context, unmet))),
    TE.map(({ evaluation, unmet }) => ({
      stdout: flags.table
        ? tabulateEvaluation(evaluation)
        : { document: describeEvaluation(evaluation) },
      exit: unmet.length === 0 ? exitCode.ok : exitCode.flagged,
    })),
  )
}

const checkTextFlags = ({ flags }: EvalContext): E.Either<Failure, void> => {
  const fault = findTextFault(flags)
  return fault === undefined ? E.right(undefined) : E.left(fault)
}

const measureRun = ({ runtime, flags, redact }: EvalContext): TE.TaskEither<Failure, Evaluation> =>
  pipe(
    readLabelFile(runtime, flags),
    TE.chain((labels) =>
      readLabelled(
        runtime,
        flags.input,
        labels,
        flags['with-state'] ? readStateText(redact) : undefined,
      ),
    ),
    TE.chainFirstEitherK((labelled) => refuseUnlabelled('eval', labelled)),
    TE.chainFirstEitherK((labelled) =>
      flags['by-group'] ? refuseGroups(labelled) : E.right(undefined),
    ),
    TE.map((labelled) => evaluate(labelled, { seed: flags.seed, byGroup: flags['by-group'] })),
  )

/** Writes the page, and says on stderr where it is. */
const drawPage = (
  { runtime, flags, build, redact }: EvalContext,
  evaluation: Evaluation,
): TE.TaskEither<Failure, void> =>
  pipe(
    findErrorTexts(runtime, flags, evaluation.run, redact),
    TE.chain((textOf) => {
      const run = openSource(flags.input, runtime).name
      const provenance = { run, labels: flags.labels, version: build.version, textOf }
      return savePage(runtime, flags.html, evaluation, provenance, redact)
    }),
    TE.chainTaskK(() => async () => {
      if (flags.html !== undefined)
        await runtime.stderr.write(`eval: the page is ${sanitize(redact(flags.html))}\n`)
    }),
  )

const reportUnmet = async (
  { runtime }: EvalContext,
  unmet: ReadonlyArray<string>,
): Promise<void> => {
  for (const text of unmet) await runtime.stderr.write(`svc: not met: ${sanitize(text)}\n`)
}
