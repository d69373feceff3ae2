import * as E from 'fp-ts/Either'
import { askCheckedRequest } from '../client/call/client'
import { encodeResponse } from '../codec/response'
import type { Failure } from '../failure/failure'
import { createJudgingRules, judgeAnswers } from '../runs/batch/plan'
import { decodeAskArguments } from './arguments'
import type { ResultMembers } from './result'
import {
  findArgumentModel,
  type Session,
  selectRequirementsAndPolicy,
  type ToolCall,
  warnOfOtherModels,
} from './tool-call'

/**
 * Runs the `ask` tool. Returns the document that `svc ask` prints, followed by `gate` and `policy` if the session has requirements
 * and a policy for the questions. Logs a warning if the policy was made from the answers of another model.
 */
export const runAskTool = async (
  session: Session,
  args: unknown,
  { client }: ToolCall,
): Promise<E.Either<Failure, ResultMembers>> => {
  const decoded = decodeAskArguments(args)
  if (E.isLeft(decoded)) return decoded
  const { template: requestTemplate, input: state } = decoded.right
  const { requirements, policies } = selectRequirementsAndPolicy(session, requestTemplate)
  const rules = createJudgingRules(requestTemplate, requirements, policies)
  if (E.isLeft(rules)) return rules
  const request = { ...requestTemplate, state }
  const model = findArgumentModel(session, requestTemplate)
  const answered = await askCheckedRequest(client, request, model)
  if (E.isLeft(answered)) return E.left(answered.left.failure)
  const response = answered.right.value
  warnOfOtherModels(session, rules.right, [response.model])
  const judgement = judgeAnswers(rules.right, response.answers)
  return E.right({ ...encodeResponse(response), ...judgement.members })
}
