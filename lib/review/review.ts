import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Result } from '../cli/declaration'
import { type ClientFlags, checkFlags, clientConfig } from '../client/config'
import { clientEnv } from '../client/context'
import { endSpan } from '../client/observe'
import { exitCode } from '../failure/classify'
import { type Failure, interrupted } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import type { Span, Tracer } from '../runtime/trace'
import type { Redact } from '../text/redact'
import { dryRun } from './dry-run'
import { type Loaded, load } from './load'
import { markdownReport } from './markdown-report'
import { sources } from './material'
import { checkOutputs, type Outputs, reportJson, writeOutputs } from './outputs'
import { withoutSecrets } from './report'
import { endFlagged, runUnits } from './run'
import { type SettingFlags, type Settings, settings } from './settings'
import type { UnitOutcome } from './unit'

/** The flags of `svc review`. */
export interface ReviewFlags extends SettingFlags {
  readonly units: string
  readonly only: string
  readonly report: string
  readonly json: boolean
  readonly junit: string | undefined
  readonly 'dry-run': boolean
}

/** What `svc review` needs of a command's context. */
export interface ReviewContext {
  readonly runtime: Runtime
  readonly redact: Redact
  readonly build: { readonly version: string }
  readonly tracer: Tracer
  readonly flags: ReviewFlags
  readonly globals: ClientFlags & { readonly pretty: boolean }
}

/**
 * Runs `svc review`. Everything that can fail without a call fails before the first: flags,
 * configuration, key, places of the reports. spec: `svc review`, Review exit rules; D28, D29
 */
export const review = (context: ReviewContext): TE.TaskEither<Failure, Result> => {
  const { runtime, flags, globals } = context
  return pipe(
    TE.fromEither(checkFlags(globals, runtime.env)),
    TE.bindTo('level'),
    TE.bind('chosen', () => TE.fromEither(settings(flags))),
    TE.bind('loaded', () => load(runtime.files, flags.units, flags.only)),
    TE.chain(({ level, chosen, loaded }) => {
      const { units, folder } = loaded
      const from = sources(runtime.files, folder, units, chosen.bundleBytes)
      if (flags['dry-run']) return dryRun(context, from, units)
      return pipe(
        TE.fromEither(clientConfig(globals, runtime.env)),
        TE.chainFirst(() => checkOutputs(runtime, outputsOf(context), flags.units)),
        TE.map((config) => clientEnv(context, config, level)),
        TE.chain((client) => ran(context, loaded, { client, settings: chosen, sources: from })),
      )
    }),
  )
}

const outputsOf = ({ flags, runtime }: ReviewContext): Outputs => ({
  report: flags.report,
  junit: flags.junit || undefined,
  summary: runtime.env.GITHUB_STEP_SUMMARY || undefined,
})

const ran = (
  context: ReviewContext,
  { units }: Loaded,
  env: Parameters<typeof runUnits>[0],
): TE.TaskEither<Failure, Result> => {
  const span = context.tracer.start('svc.review', {
    attributes: { 'gen_ai.operation.name': 'review', 'svc.review.units': units.length },
  })
  return pipe(
    TE.fromTask(runUnits(env, context.runtime, span, units)),
    TE.chain((outcomes) => reported(context, env.settings, units.length, outcomes)),
    TE.map((result) => concluded(span, result)),
    TE.mapLeft((failure) => {
      endSpan(span, failure)
      return failure
    }),
  )
}

const concluded = (span: Span, result: Result): Result => {
  if (result.exit === undefined) span.end()
  else endFlagged(span, 'units are failing')
  return result
}

/** Tells and writes what came of the units, and what the run ends with. */
const reported = (
  context: ReviewContext,
  { minCover }: Settings,
  wanted: number,
  outcomes: ReadonlyArray<UnitOutcome>,
): TE.TaskEither<Failure, Result> => {
  const { runtime, flags, globals } = context
  const units = outcomes.map(({ report }) => withoutSecrets(report, context.redact))
  const failing = units.filter((unit) => unit.failing).length
  const markdown = markdownReport(units, minCover)
  const tell = (line: string): TE.TaskEither<Failure, void> =>
    TE.fromTask(() => runtime.stderr.write(`review: ${line}\n`))
  return pipe(
    tell(`ran ${units.length} units`),
    TE.chain(() => writeOutputs(runtime, outputsOf(context), units, markdown)),
    TE.chain(() =>
      failing === 0 ? TE.right(undefined) : tell(`${failing} of ${units.length} units failing`),
    ),
    TE.chain((): TE.TaskEither<Failure, Result> => {
      const failure = firstFailure(outcomes, wanted)
      if (failure !== undefined) return TE.left(failure)
      const stdout = flags.json ? reportJson(units, globals.pretty) : markdown
      return TE.right(failing === 0 ? { stdout } : { stdout, exit: exitCode.flagged })
    }),
  )
}

/** An interrupt before all else, then the first failed call in the configuration's order. D28, D32 */
const firstFailure = (
  outcomes: ReadonlyArray<UnitOutcome>,
  wanted: number,
): Failure | undefined => {
  const failures = outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [failure]))
  return outcomes.length < wanted
    ? interrupted
    : (failures.find(({ _tag }) => _tag === 'Interrupted') ?? failures[0])
}
