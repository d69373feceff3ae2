import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Result, Run } from '../lib/cli/declaration'
import { exitCode } from '../lib/failure/classify'
import { type Failure, usage } from '../lib/failure/failure'
import { isAllowed, parseAllowance } from '../lib/gate/allowance'
import { checkRequirements, parseRequirements, type Requirement } from '../lib/gate/requirements'
import { tally, type Verdict, verdictDraft } from '../lib/gate/tally'
import { readRun } from '../lib/run/read'
import { runSource } from '../lib/run/source'
import type { GateFlags } from './gate'

/** Judges a run. R17 */
export const run: Run<GateFlags> = ({ runtime, flags }) =>
  pipe(
    E.Do,
    E.bind('requirements', () => requirementsOf(flags.require)),
    E.bind('allowance', () => parseAllowance(flags.allow)),
    E.bind('source', () => runSource(flags.input, runtime)),
    TE.fromEither,
    TE.chain(({ requirements, allowance, source }) =>
      pipe(
        judged(source, requirements, flags.all),
        TE.map((verdict): Result => {
          const { failed, rows, errors } = verdict
          const holds =
            isAllowed(allowance, failed, rows) && (errors === 0 || flags['allow-errors'])
          return {
            stdout: { document: verdictDraft(verdict) },
            exit: holds ? exitCode.ok : exitCode.flagged,
          }
        }),
      ),
    ),
  )

const requirementsOf = (
  texts: Context<GateFlags>['flags']['require'],
): E.Either<Failure, ReadonlyArray<Requirement>> =>
  texts.length === 0
    ? E.left(usage('--require is required: a condition such as billing.noul >= 0.8'))
    : parseRequirements(texts)

/** Rows listed unless all are asked for. */
const listed = 100

const judged = (
  source: Parameters<typeof readRun>[0],
  requirements: ReadonlyArray<Requirement>,
  all: boolean,
): TE.TaskEither<Failure, Verdict> => {
  const { add, verdict } = tally(requirements, all ? Number.POSITIVE_INFINITY : listed)
  return pipe(
    readRun(source, (record) => {
      add(record)
      return undefined
    }),
    TE.map(verdict),
    // What a run asks is known when it is read. Where nothing was answered there is nothing to check by.
    TE.chainFirstEitherK(({ shapes }) =>
      shapes.size === 0 ? E.right(undefined) : checkRequirements(requirements, shapes),
    ),
  )
}
