import * as E from 'fp-ts/Either'
import type { CommandOutcome, CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { printEscaped, redactDraft } from '../../lib/codec/json/draft'
import { type Failure, usage } from '../../lib/failure/failure'
import {
  checkOutputs,
  checkOverwrite,
  listNamedFiles,
  runFileOperation,
} from '../../lib/failure/named-files'
import { type CalibrateOptions, calibrate } from '../../lib/measure/calibrate/calibrate'
import {
  encodeLabelPlan,
  planLabels,
  tabulateLabelPlan,
} from '../../lib/measure/calibrate/label-plan'
import {
  encodePolicyWithEvidence,
  type PolicyWithEvidence,
  tabulatePolicy,
} from '../../lib/measure/calibrate/policy-document'
import { parseTargets } from '../../lib/measure/calibrate/targets'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { readLabelled } from '../../lib/measure/rows/read-labelled-run'
import type { CalibrationMethod } from '../../lib/runs/policy/policy'
import { chooseTextLayout } from '../../lib/text/terminal'

/** The flags of `svc calibrate`. */
interface CalibrateFlags extends LabelFlags {
  readonly input: string
  readonly target: ReadonlyArray<string>
  readonly confidence: number
  readonly method: CalibrationMethod | 'auto'
  readonly seed: number
  readonly table: boolean
  readonly plan: boolean
  readonly output: string | undefined
  readonly overwrite: boolean
}

/** The flags that cannot be combined with `--plan`, because they are about a run. */
const flagsOfRun = ['input', 'output', 'labels', 'method'] as const

type CalibrateContext = ContextWith<CalibrateFlags, (typeof flagsOfRun)[number]>

/**
 * Runs `svc calibrate`: derives a policy from a run with labels. A run is the file of records that `svc batch` wrote, one for each
 * row. Labels are the right answers to some rows. A policy corrects probabilities, and says which answers to accept. With `--plan`
 * it plans how many labels that takes.
 */
export const runCalibrate = async (context: CalibrateContext): Promise<CommandOutcome> => {
  const { flags } = context
  const options = parseOptions(context)
  if (E.isLeft(options)) return options
  if (flags.plan) return E.right(formatPlan(context, options.right))
  const policy = await calibrateRun(context, options.right)
  if (E.isLeft(policy)) return policy
  const written = await writePolicy(context, policy.right)
  if (E.isLeft(written)) return written
  const { stdout, env } = context.runtime
  return E.right({
    stdout: flags.table
      ? { report: tabulatePolicy(policy.right, chooseTextLayout(stdout, env)) }
      : { document: encodePolicyWithEvidence(policy.right) },
  })
}

const parseOptions = (context: CalibrateContext): E.Either<Failure, CalibrateOptions> => {
  const { flags, isPassed } = context
  const { method, confidence, seed, plan, target } = flags
  const flagOfRun = flagsOfRun.find(isPassed)
  if (plan && flagOfRun !== undefined)
    return E.left(usage(`--plan cannot be combined with --${flagOfRun}: it reads no run`))
  if (plan && target.length === 0) return E.left(usage('--plan needs --target'))
  const targets = parseTargets(target)
  if (E.isLeft(targets)) return targets
  return E.right({ targets: targets.right, confidence, method, seed })
}

/** Plans how many labels the targets need. Returns the plan to print. */
const formatPlan = (
  { runtime, flags }: CalibrateContext,
  options: CalibrateOptions,
): CommandResult => {
  const plan = planLabels(options.targets, options.confidence)
  const layout = chooseTextLayout(runtime.stdout, runtime.env)
  return {
    stdout: flags.table
      ? { report: tabulateLabelPlan(plan, layout) }
      : { document: encodeLabelPlan(plan) },
  }
}

/**
 * Reads the run with its labels, and derives a policy. Fails before reading if the policy cannot be written to `--output`, or would replace
 * a file that is not empty without `--overwrite`.
 */
const calibrateRun = async (
  { runtime, flags }: CalibrateContext,
  options: CalibrateOptions,
): Promise<E.Either<Failure, PolicyWithEvidence>> => {
  const filesRead = listNamedFiles(flags, 'input', 'labels')
  const output = listNamedFiles(flags, 'output')
  const writable = await checkOutputs(runtime.files, filesRead, output, 'policy')()
  if (E.isLeft(writable)) return writable
  const replaceable = await checkOverwrite(runtime.files, flags)()
  if (E.isLeft(replaceable)) return replaceable
  const labels = await readLabelFile(runtime, flags)
  if (E.isLeft(labels)) return labels
  const labelled = await readLabelled(runtime, flags.input, labels.right)
  if (E.isLeft(labelled)) return labelled
  return calibrate(labelled.right.run, options)
}

/** Writes the policy to the file of `--output`, with secrets redacted. Does nothing without the flag. */
const writePolicy = async (
  context: CalibrateContext,
  policy: PolicyWithEvidence,
): Promise<E.Either<Failure, void>> => {
  const { runtime, flags, globals, redact } = context
  const { output } = flags
  if (output === undefined) return E.right(undefined)
  const text = printEscaped(redactDraft(encodePolicyWithEvidence(policy), redact), globals.pretty)
  return runFileOperation(`write policy ${output}`, () =>
    runtime.files.replace(output, `${text}\n`),
  )()
}
