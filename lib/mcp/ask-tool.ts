import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { askCheckedRequest } from '../client/call/client'
import { encodeResponse } from '../codec/response'
import type { Failure } from '../failure/failure'
import { createJudgingRules, judgeAnswers } from '../runs/batch/judge-answers'
import { decodeAskArguments } from './arguments'
import type { ResultMembers } from './result'
import {
  findArgumentModel,
  type Session,
  selectJudges,
  type ToolCall,
  warnOfOtherModels,
} from './tool-call'

/** Runs the `ask` tool. Returns the document that `svc ask` prints, followed by `gate` and `policy`. */
export const runAskTool =
  (session: Session, args: unknown, { client }: ToolCall): TE.TaskEither<Failure, ResultMembers> =>
  async () => {
    const decoded = decodeAskArguments(args)
    if (E.isLeft(decoded)) return decoded
    const { template, input: state } = decoded.right
    const { requirements, policy } = selectJudges(session, template)
    const judging = createJudgingRules(template, requirements, policy)
    if (E.isLeft(judging)) return judging
    const model = findArgumentModel(session, template)
    const answered = await askCheckedRequest({ ...template, state }, model)(client)()
    if (E.isLeft(answered)) return E.left(answered.left.failure)
    const { value } = answered.right
    warnOfOtherModels(session, judging.right, [value.model])
    const judged = judgeAnswers(judging.right, value.answers)
    return E.right({ ...encodeResponse(value), ...judged.members })
  }
