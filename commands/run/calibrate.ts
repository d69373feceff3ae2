import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { printHarmless, redactDraft } from '../../lib/codec/json/output'
import { type Failure, usage } from '../../lib/failure/failure'
import { access, checkOutputs, filesOf } from '../../lib/failure/named-files'
import { type CalibrateOptions, calibrate } from '../../lib/measure/calibrate'
import type { LabelFlags } from '../../lib/measure/labels/flags'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import { readLabelled } from '../../lib/measure/labels/read-labelled'
import { describePlan, planLabels, tabulatePlan } from '../../lib/measure/plan'
import { describePolicy, type FoundPolicy, tabulatePolicy } from '../../lib/measure/policy'
import { parseTargets } from '../../lib/measure/targets'
import type { Method } from '../../lib/runs/policy/calibration-map'

interface CalibrateFlags extends LabelFlags {
  readonly input: string
  readonly target: ReadonlyArray<string>
  readonly confidence: number
  readonly method: Method | 'auto'
  readonly seed: number
  readonly table: boolean
  readonly plan: boolean
  readonly output: string | undefined
}

type CalibrateContext = ContextWith<CalibrateFlags, 'input' | 'output' | 'labels' | 'method'>

/** Runs `svc calibrate`: derives a policy from a run with labels, or plans how many labels that takes. */
export const runCalibrate = (context: CalibrateContext): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    TE.fromEither(parseOptions(context)),
    TE.chain((options) =>
      context.flags.plan ? TE.right(printPlan(context, options)) : calibrateRun(context, options),
    ),
  )

const parseOptions = ({
  flags,
  isPassed,
}: CalibrateContext): E.Either<Failure, CalibrateOptions> => {
  const { method, confidence, seed, plan, target } = flags
  const conflicting = (['input', 'output', 'labels', 'method'] as const).find(isPassed)
  if (plan && conflicting !== undefined)
    return E.left(usage(`--plan cannot be combined with --${conflicting}: it reads no run`))
  if (plan && target.length === 0) return E.left(usage('--plan needs --target'))
  return pipe(
    parseTargets(target),
    E.map((targets) => ({ targets, confidence, method, seed })),
  )
}

const printPlan = ({ flags }: CalibrateContext, options: CalibrateOptions): CommandResult => {
  const plan = planLabels(options.targets, options.confidence)
  return { stdout: flags.table ? tabulatePlan(plan) : { document: describePlan(plan) } }
}

const calibrateRun = (
  context: CalibrateContext,
  options: CalibrateOptions,
): TE.TaskEither<Failure, CommandResult> => {
  const { runtime, flags } = context
  return pipe(
    checkOutputs(
      runtime.files,
      filesOf(flags, 'input', 'labels'),
      filesOf(flags, 'output'),
      'policy',
    ),
    TE.chain(() => readLabelFile(runtime, flags)),
    TE.chain((labels) => readLabelled(runtime, flags.input, labels)),
    TE.chainEitherK(({ run }) => calibrate(run, options)),
    TE.chainFirst((policy) => writePolicy(context, policy)),
    TE.map((policy) => ({
      stdout: flags.table ? tabulatePolicy(policy) : { document: describePolicy(policy) },
    })),
  )
}

/** Writes the policy to the file of `--output`, if there is one, with secrets redacted. */
const writePolicy = (
  { runtime: { files }, flags: { output }, globals, redact }: CalibrateContext,
  policy: FoundPolicy,
): TE.TaskEither<Failure, void> => {
  if (output === undefined) return TE.right(undefined)
  const text = printHarmless(redactDraft(describePolicy(policy), redact), globals.pretty)
  return access(`write policy ${output}`, () => files.replace(output, `${text}\n`))
}
