import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { askChecked } from '../client/call/client'
import { encodeResponse } from '../codec/response'
import type { Failure } from '../failure/failure'
import { judgeAnswers, makeJudging } from '../runs/batch/judge-answers'
import { readAskArguments } from './arguments'
import type { Members } from './result'
import { modelOf, noteModels, type Session, selectJudges, type ToolCall } from './session'

/**
 * Runs the `ask` tool: asks about one state, and returns the document that `svc ask` prints, followed by `gate`
 * and `policy`.
 */
export const runAskTool = (
  session: Session,
  given: unknown,
  { client }: ToolCall,
): TE.TaskEither<Failure, Members> =>
  pipe(
    TE.fromEither(readAskArguments(given)),
    TE.bind('judging', ({ template }) => {
      const { requirements, policy } = selectJudges(session, template)
      return TE.fromEither(makeJudging(template, requirements, policy))
    }),
    TE.chain(({ judging, template, state }) =>
      pipe(
        askChecked({ ...template, state }, modelOf(session, template))(client),
        TE.bimap(
          ({ failure }) => failure,
          ({ value }) => {
            noteModels(session, judging, [value.model])
            return { ...encodeResponse(value), ...judgeAnswers(judging, value.answers).members }
          },
        ),
      ),
    ),
  )
