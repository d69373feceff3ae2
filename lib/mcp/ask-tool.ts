import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { askRow, judgementOf } from '../batch/ask-row'
import { encodeResponse } from '../codec/response'
import type { Failure } from '../failure/failure'
import type { Json } from '../json/json'
import { askArguments } from './arguments'
import type { Members } from './result'
import { type Call, noteModels, planOf, type Session } from './session'

/** Asks about one state; gives the document that `svc ask` prints, and then `gate` and `policy`. R26 */
export const askTool = (
  session: Session,
  given: Json | undefined,
  { signal, span }: Call,
): TE.TaskEither<Failure, Members> =>
  pipe(
    TE.fromEither(askArguments(given)),
    TE.bind('plan', ({ template }) => TE.fromEither(planOf(session, template))),
    TE.chain(({ plan, state }) =>
      pipe(
        askRow({ row: { index: 0, line: 1, state }, run: undefined }, plan, {
          ...session.client,
          signal,
          parent: span,
        }),
        TE.chainFirstIOK(
          ({ model }) =>
            () =>
              noteModels(session, plan, [model]),
        ),
        TE.map((response) => ({
          ...encodeResponse(response),
          ...judgementOf(plan, new Map(response.answers)),
        })),
      ),
    ),
  )
