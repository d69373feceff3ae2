import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { permute } from '../lib/ask/permute'
import type { Plan } from '../lib/batch/ask-row'
import { conclude } from '../lib/batch/conclude'
import type { BatchContext, Prepared } from '../lib/batch/context'
import { forecast } from '../lib/batch/dry-run'
import type { batchFlags } from '../lib/batch/flags'
import { openItems } from '../lib/batch/items'
import { pacedRun } from '../lib/batch/paced-run'
import { labelFields, readTemplate } from '../lib/batch/questions'
import { recordRows } from '../lib/batch/record-rows'
import type { Fields } from '../lib/batch/row'
import { settings } from '../lib/batch/settings'
import { clientOf, dryRunConfig } from '../lib/cli/client'
import type { Result, Run } from '../lib/cli/declaration'
import type { ClientEnv } from '../lib/client/env'
import { type Failure, interrupted } from '../lib/failure/failure'
import { access } from '../lib/failure/named-files'
import { checkRequirements, parseRequirements } from '../lib/gate/requirements'
import { shapesOf } from '../lib/gate/shape'
import { readPolicy } from '../lib/policy/read'
import { questionsDigest } from '../lib/run/record'

/**
 * Runs `svc batch`: asks the questions about every row of an input. Whatever can fail without a call fails
 * before the first call. R3-R13
 */
export const run: Run<typeof batchFlags> = (context) =>
  pipe(
    prepared(context),
    TE.chain((ready) =>
      context.flags['dry-run']
        ? forecasted(context, ready)
        : pipe(
            TE.fromEither(clientOf(context)),
            TE.chain((client) => recorded(context, ready, client)),
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

const forecasted = (context: BatchContext, ready: Prepared): TE.TaskEither<Failure, Result> => {
  const { env, signal } = context.runtime
  return pipe(
    TE.fromEither(dryRunConfig(context.globals, env)),
    TE.bindTo('config'),
    TE.bind('input', () => openItems(context, ready, signal)),
    TE.chain(({ config, input }) =>
      access('read rows', () => forecast(input.items, ready.plan, config)),
    ),
    TE.filterOrElse(
      () => !signal.aborted,
      () => interrupted,
    ),
    TE.map(({ draft, exit }) => ({ stdout: { document: draft }, exit })),
  )
}

const recorded = (
  context: BatchContext,
  ready: Prepared,
  client: ClientEnv,
): TE.TaskEither<Failure, Result> => {
  const { concurrency, rpm, 'fail-fast': failFast } = context.flags
  const paced = pacedRun(ready.plan, client, { concurrency, rpm, failFast })
  return pipe(
    recordRows(context, ready, paced),
    TE.chain((outcome) => conclude(context, ready.policy, paced.attempts(), outcome)),
  )
}
