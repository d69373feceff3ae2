import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Run } from '../lib/cli/declaration'
import type { Failure } from '../lib/failure/failure'
import { access, checkDistinctFiles } from '../lib/failure/named-files'
import { printHarmless, redactDraft } from '../lib/json/output'
import { type CalibrateOptions, calibrate } from '../lib/measure/calibrate'
import { readLabelFile } from '../lib/measure/label-file'
import { describePolicy } from '../lib/measure/policy'
import { readLabelled } from '../lib/measure/read-labelled'
import { parseTargets } from '../lib/measure/targets'
import type { CalibrateFlags } from './calibrate'

type CalibrateContext = Context<CalibrateFlags>

/** Runs `svc calibrate`: derives a policy from a run with labels. R21–R23 */
export const run: Run<CalibrateFlags> = (context) => {
  const { runtime, flags, globals, redact } = context
  return pipe(
    TE.fromEither(optionsOf(flags)),
    TE.chainFirst(() => apart(context)),
    TE.chainFirst(() => atOutput(context, (path) => runtime.files.checkWritable(path))),
    TE.chain((options) =>
      pipe(
        readLabelFile(runtime, flags),
        TE.chain((labels) => readLabelled(runtime, flags.input, labels)),
        TE.chainEitherK((labelled) => calibrate(labelled, options)),
      ),
    ),
    TE.map(describePolicy),
    TE.chainFirst((document) => {
      const text = printHarmless(redactDraft(document, redact), globals.pretty)
      return atOutput(context, (path) => runtime.files.replace(path, `${text}\n`))
    }),
    TE.map((document) => ({ stdout: { document } })),
  )
}

const optionsOf = (flags: CalibrateContext['flags']): E.Either<Failure, CalibrateOptions> => {
  const { method, confidence, seed } = flags
  return pipe(
    parseTargets(flags.target),
    E.map((targets) => ({ targets, confidence, method, seed })),
  )
}

/** Checks that the policy would not overwrite the run that is read. D57 */
const apart = ({ runtime, flags: { output, input } }: CalibrateContext) =>
  checkDistinctFiles(
    runtime.files,
    [{ name: '--input', path: input }],
    output === undefined ? [] : [{ name: '--output', path: output }],
  )

/** Runs `act` on the file of `--output`, if there is one. A failure becomes a usage error. */
const atOutput = (
  { flags: { output } }: CalibrateContext,
  act: (path: string) => Promise<void>,
): TE.TaskEither<Failure, void> =>
  output === undefined ? TE.right(undefined) : access(`write policy ${output}`, () => act(output))
