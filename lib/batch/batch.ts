import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { permute } from '../ask/permute'
import { clientOf, dryRunConfig } from '../cli/client'
import type { Result } from '../cli/declaration'
import type { ClientEnv } from '../client/env'
import { type Failure, interrupted } from '../failure/failure'
import { checkRequirements, parseRequirements } from '../gate/requirements'
import { shapesOf } from '../gate/shape'
import { readPolicy } from '../policy/read'
import { questionsDigest } from '../run/digest'
import { access } from '../runtime/access'
import type { Plan } from './ask-row'
import type { BatchContext, Prepared } from './context'
import { forecast } from './dry-run'
import { openItems } from './items'
import { type PacedRun, pacedRun } from './paced-run'
import { labelFields, readTemplate } from './questions'
import { recordRows } from './record-rows'
import type { Fields } from './row'
import { settings } from './settings'

/**
 * Runs `svc batch`: asks the questions about every row of an input. Whatever can fail without a call fails
 * before the first call. R3-R13
 */
export const batch = (context: BatchContext): TE.TaskEither<Failure, Result> =>
  pipe(
    prepared(context),
    TE.chain((ready) =>
      context.flags['dry-run']
        ? forecasted(context, ready)
        : pipe(
            TE.fromEither(clientOf(context)),
            TE.chain((client) => recordRows(context, ready, runOf(context, ready, client))),
          ),
    ),
  )

const prepared = ({ runtime, flags, given }: BatchContext): TE.TaskEither<Failure, Prepared> =>
  pipe(
    TE.fromEither(settings(flags)),
    TE.bindTo('settings'),
    TE.bind('requirements', () => TE.fromEither(parseRequirements(flags.require))),
    TE.bind('template', () => readTemplate(flags, runtime)),
    TE.bind('policy', ({ template }) => readPolicy(flags, runtime.files, template.questions)),
    TE.bind('labels', ({ template }) =>
      TE.fromEither(labelFields(flags.label, template, flags['state-field'])),
    ),
    TE.bind('permuted', ({ template }) =>
      TE.fromEither(permute(template.questions, flags.permute)),
    ),
    TE.chainEitherK(({ settings: chosen, requirements, policy, template, labels, permuted }) => {
      const shapes = shapesOf(template.questions, policy?.questions)
      const questionsSha256 = questionsDigest(template.questions)
      const plan: Plan = {
        ...{ template, permuted, requirements, shapes, questionsSha256 },
        policy: policy?.questions,
        model: given('model') ? undefined : template.model,
        withState: flags['with-state'],
      }
      const fields: Fields = {
        state: flags['state-field'],
        id: flags['id-field'],
        group: flags['group-field'],
        labels,
      }
      return pipe(
        checkRequirements(requirements, shapes),
        E.map(() => ({ settings: chosen, plan, policy, fields })),
      )
    }),
  )

const forecasted = (
  { runtime, flags, globals }: BatchContext,
  { settings: chosen, plan, fields }: Prepared,
): TE.TaskEither<Failure, Result> =>
  pipe(
    TE.fromEither(dryRunConfig(globals, runtime.env)),
    TE.bindTo('config'),
    TE.bind('input', () => openItems(runtime, flags, chosen, fields, runtime.signal)),
    TE.chain(({ config, input }) => access('read rows', () => forecast(input.items, plan, config))),
    TE.filterOrElse(
      () => !runtime.signal.aborted,
      () => interrupted,
    ),
    TE.map(({ draft, exit }) => ({ stdout: { document: draft }, exit })),
  )

const runOf = (
  { runtime, flags }: BatchContext,
  { plan }: Prepared,
  client: ClientEnv,
): PacedRun => {
  const { concurrency, rpm, 'fail-fast': failFast } = flags
  return pacedRun(plan, { ...client, signal: runtime.signal }, { concurrency, rpm, failFast })
}
