import * as E from 'fp-ts/Either'
import type { Answer } from '../codec/answer'
import type { AskResponse } from '../codec/response'
import { formatCoverageId } from './questions'
import type { BehaviorAnswer, UnitAnswers } from './verdict'

/** The types of the questions of a review. `noul` is a yes/no question; its answer is the probability of yes. */
type ReviewAnswerType = 'noul' | 'choice' | 'score'

/**
 * Decodes an answer. Fails with a message if the answer is missing, refused, of another type than the question, or has a number
 * that is not finite, such as 1e400.
 */
const decodeReviewAnswer = <T extends ReviewAnswerType>(
  { answers }: AskResponse,
  id: string,
  type: T,
): E.Either<string, Extract<Answer, { type: T }>> => {
  const answer = answers.get(id)
  if (answer === undefined) return E.left(`the response has no answer "${id}"`)
  if (answer.type === 'refusal') {
    const reason = answer.reason === undefined ? '' : `: ${answer.reason}`
    return E.left(`the service refused to answer "${id}"${reason}`)
  }
  if (!isOfType(answer, type)) {
    const name = answer.type === 'other' ? answer.name : answer.type
    return E.left(`answer "${id}" is of type ${name}, expected ${type}`)
  }
  return listNumbers(answer).every(Number.isFinite)
    ? E.right(answer)
    : E.left(`answer "${id}" holds a number out of range`)
}

const isOfType = <T extends ReviewAnswerType>(
  answer: Answer,
  type: T,
): answer is Extract<Answer, { type: T }> => answer.type === type

/** Lists the numbers of an answer that the report shows. A missing confidence counts as 0 here, and is refused later. */
const listNumbers = (answer: Answer): ReadonlyArray<number> => {
  switch (answer.type) {
    case 'noul':
      return [answer.noul]
    case 'choice':
      return [answer.confidence ?? 0]
    case 'score':
      return [answer.score, answer.confidence ?? 0]
    case 'refusal':
    case 'other':
      return []
  }
}

/**
 * Decodes the answers about a unit: a section of the spec with its implementation and tests. Fails with a message about the first
 * answer that is missing or unusable. The report needs the confidences of `thoroughness` and `weakest_area`. Some services do not send
 * them, and then this fails too.
 */
export const decodeUnitAnswers = (
  behaviors: ReadonlyArray<string>,
  response: AskResponse,
): E.Either<string, UnitAnswers> => {
  const behaviorAnswers: BehaviorAnswer[] = []
  for (const [index, behavior] of behaviors.entries()) {
    const id = formatCoverageId(index)
    const coverage = decodeReviewAnswer(response, id, 'noul')
    if (E.isLeft(coverage)) return coverage
    behaviorAnswers.push({ id, behavior, covered: coverage.right.noul })
  }
  const contradiction = decodeReviewAnswer(response, 'contradicts_spec', 'noul')
  if (E.isLeft(contradiction)) return contradiction
  const thoroughness = decodeReviewAnswer(response, 'thoroughness', 'score')
  if (E.isLeft(thoroughness)) return thoroughness
  const weakestArea = decodeReviewAnswer(response, 'weakest_area', 'choice')
  if (E.isLeft(weakestArea)) return weakestArea
  const { confidence: thoroughnessConfidence } = thoroughness.right
  if (thoroughnessConfidence === undefined) return E.left(describeNoConfidence('thoroughness'))
  const { confidence: weakestConfidence } = weakestArea.right
  if (weakestConfidence === undefined) return E.left(describeNoConfidence('weakest_area'))
  return E.right({
    behaviors: behaviorAnswers,
    contradictsSpec: contradiction.right.noul,
    thoroughness: thoroughness.right.score,
    thoroughnessConfidence,
    weakestArea: weakestArea.right.choice,
    weakestConfidence,
  })
}

const describeNoConfidence = (id: string): string => `answer "${id}" has no confidence`
