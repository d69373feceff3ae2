import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { createClient, findDryRunPlace } from '../../lib/cli/client'
import type { Result, Run } from '../../lib/cli/declaration'
import { permute } from '../../lib/client/ask/permute'
import { writeAsk } from '../../lib/client/call/client'
import type { Place } from '../../lib/client/providers/place'
import { type Failure, interrupted } from '../../lib/failure/failure'
import { access, checkDistinctFiles, filesOf } from '../../lib/failure/named-files'
import { createFilter, parseSelection } from '../../lib/measure/select/select'
import type { Plan } from '../../lib/runs/batch/ask-row'
import { conclude } from '../../lib/runs/batch/conclude'
import { createBudget } from '../../lib/runs/batch/cost'
import { forecast } from '../../lib/runs/batch/dry-run'
import type { batchFlags } from '../../lib/runs/batch/flags'
import { openItems } from '../../lib/runs/batch/items'
import { createPacedRun } from '../../lib/runs/batch/pace'
import { parseLabelFields, readTemplate } from '../../lib/runs/batch/questions'
import { recordRows } from '../../lib/runs/batch/record-rows'
import { indexRuns, type Reuse, reuseFiles } from '../../lib/runs/batch/reuse'
import { type BatchContext, checkSettings, type Prepared } from '../../lib/runs/batch/settings'
import { checkRequirements, parseRequirements } from '../../lib/runs/gate/requirements'
import { shapesOf } from '../../lib/runs/gate/shape'
import { readPolicy } from '../../lib/runs/policy/read'
import { questionsDigest } from '../../lib/runs/record/record'
import type { Fields } from '../../lib/runs/rows/row'

/**
 * Runs `svc batch`: asks the questions about every row of an input. Whatever can fail without a call fails
 * before the first call.
 */
export const runBatch: Run<typeof batchFlags> = (context) => {
  const { record } = context.flags
  if (record === undefined) return runRows(context)
  return async () =>
    (await import('../../lib/replay/record-run')).runRecorded(record, context, runRows)
}

const runRows: Run<typeof batchFlags> = (context) =>
  pipe(
    prepare(context),
    TE.chain((ready) =>
      context.flags['dry-run'] ? forecastRows(context, ready) : askRows(context, ready),
    ),
  )

const prepare = (context: BatchContext): TE.TaskEither<Failure, Prepared> => {
  const { runtime, flags } = context
  return pipe(
    TE.fromEither(checkSettings(context)),
    TE.bindTo('settings'),
    TE.chainFirst(({ settings: { output } }) => checkFiles(context, output)),
    TE.bind('requirements', () => TE.fromEither(parseRequirements(flags.require))),
    TE.bind('template', () => readTemplate(flags, runtime)),
    TE.bind('policy', ({ template }) => readPolicy(flags, runtime.files, template.questions)),
    TE.bind('labels', ({ template }) =>
      TE.fromEither(parseLabelFields(flags.label, template, flags['state-field'])),
    ),
    TE.bind('permuted', ({ template }) =>
      TE.fromEither(permute(template.questions, flags.permute)),
    ),
    TE.let('shapes', ({ template, policy }) => shapesOf(template.questions, policy?.questions)),
    TE.chainFirstEitherK(({ requirements, shapes }) => checkRequirements(requirements, shapes)),
    TE.map(({ settings, requirements, shapes, template, policy, labels, permuted }) => {
      const plan: Plan = {
        ...{ template, permuted, requirements, shapes },
        questionsSha256: questionsDigest(template.questions),
        policy: policy?.questions,
        model: context.given('model') ? undefined : template.model,
        withState: flags['with-state'],
      }
      const fields: Fields = {
        state: flags['state-field'],
        id: flags['id-field'],
        group: flags['group-field'],
        labels,
      }
      return { settings, plan, policy, fields }
    }),
  )
}

/** Checks that the output is none of the files that the run reads. */
const checkFiles = (
  { runtime, flags }: BatchContext,
  output: string | undefined,
): TE.TaskEither<Failure, void> => {
  const reads = filesOf(flags, 'input', 'file', 'policy', 'reuse')
  return checkDistinctFiles(runtime.files, reads, filesOf({ output }, 'output'))
}

/** Checks once, with any state, what is the same for all rows: the model, and whether the service can be asked. */
const checkTemplate = (
  { plan: { template, permuted, model } }: Prepared,
  place: Place,
): E.Either<Failure, unknown> =>
  writeAsk(place, { ...template, questions: permuted.questions, state: null }, model)

/** Says what the run would come to. */
const forecastRows = (context: BatchContext, ready: Prepared): TE.TaskEither<Failure, Result> => {
  const { signal } = context.runtime
  return pipe(
    findDryRunPlace(context),
    TE.chainFirstEitherK((place) => checkTemplate(ready, place)),
    TE.bindTo('place'),
    TE.bind('reuse', () => readReuse(context, ready)),
    TE.bind('input', ({ reuse }) => openItems(context, ready, signal, reuse)),
    TE.chain(({ place, reuse, input }) => {
      const { plan, settings } = ready
      return access('read rows', () => forecast(input.items, plan, place, settings.price, reuse))
    }),
    TE.filterOrElse(
      () => !signal.aborted,
      () => interrupted,
    ),
    TE.map(({ draft, exit }) => ({ stdout: { document: draft }, exit })),
  )
}

/** Asks about the rows, and sums up what came of it. */
const askRows = (context: BatchContext, ready: Prepared): TE.TaskEither<Failure, Result> => {
  const { concurrency, rpm, 'max-cost': maxCost } = context.flags
  const { 'fail-fast': failFast, 'keep-going': keepGoing } = context.flags
  const { plan, settings } = ready
  return pipe(
    createClient(context),
    TE.chainFirstEitherK(({ place }) => checkTemplate(ready, place)),
    TE.bindTo('client'),
    TE.bind('reuse', () => readReuse(context, ready)),
    TE.let('budget', ({ client: { place } }) =>
      maxCost === undefined || settings.price === undefined
        ? undefined
        : createBudget(maxCost, settings.price, plan, place),
    ),
    TE.map(({ client, reuse, budget }) => ({
      ...createPacedRun(plan, client, { concurrency, rpm, failFast, keepGoing }),
      ...{ reuse, budget },
    })),
    TE.chain((paced) =>
      pipe(
        recordRows(context, ready, paced),
        TE.chain((outcome) => {
          const calls = {
            operation: `POST ${paced.client.place.ask.path}`,
            attempts: paced.attempts(),
          }
          return conclude(context, ready, calls, outcome)
        }),
      ),
    ),
  )
}

/** Reads the runs of `--reuse`, if any. `--reuse-where` leaves out answers. */
const readReuse = (
  { runtime, flags }: BatchContext,
  { plan }: Prepared,
): TE.TaskEither<Failure, Reuse | undefined> =>
  flags.reuse.length === 0
    ? TE.right(undefined)
    : async () => {
        const { reuse: paths, 'reuse-where': where, 'keep-going': keepGoing } = flags
        const selection = parseSelection(where, false)
        if (E.isLeft(selection)) return selection
        const filter = createFilter(selection.right)
        const accept = where.length === 0 ? () => true : filter.keeps
        const indexes = await indexRuns(paths, plan, accept, runtime.files, runtime.signal)
        if (E.isLeft(indexes)) return indexes
        const finished = filter.finish()
        return E.isLeft(finished)
          ? finished
          : E.right(reuseFiles(indexes.right, runtime.files, keepGoing))
      }
