import * as E from 'fp-ts/Either'
import type { Answer } from '../codec/answer'
import type { AskResponse } from '../codec/response'
import { formatCoversId } from './questions'
import type { BehaviorReading, Readings } from './verdict'

type ReadableType = 'noul' | 'choice' | 'score'

/** Creates a function that finds an answer. It fails with a message if the answer is missing, refused or of another type. */
const createAnswerFinder = ({ answers }: AskResponse) => {
  return <T extends ReadableType>(
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
}

const isOfType = <T extends ReadableType>(
  answer: Answer,
  type: T,
): answer is Extract<Answer, { type: T }> => answer.type === type

const listNumbers = (answer: Answer): ReadonlyArray<number> => {
  switch (answer.type) {
    case 'noul':
      return [answer.noul]
    case 'choice':
      return answer.confidence === undefined ? [] : [answer.confidence]
    case 'score':
      return [answer.score, answer.confidence ?? 0]
    case 'refusal':
    case 'other':
      return []
  }
}

/**
 * Converts the answers about a unit to readings. Fails with a message about the first answer that is missing, refused, or of
 * another type. Also fails if an answer has no confidence, because some services send none.
 */
export const toReadings = (
  behaviors: ReadonlyArray<string>,
  response: AskResponse,
): E.Either<string, Readings> => {
  const find = createAnswerFinder(response)
  const readings: BehaviorReading[] = []
  for (const [index, behavior] of behaviors.entries()) {
    const id = formatCoversId(index)
    const covers = find(id, 'noul')
    if (E.isLeft(covers)) return covers
    readings.push({ id, behavior, covered: covers.right.noul })
  }
  const contradicts = find('contradicts_spec', 'noul')
  if (E.isLeft(contradicts)) return contradicts
  const thoroughness = find('thoroughness', 'score')
  if (E.isLeft(thoroughness)) return thoroughness
  const weakest = find('weakest_area', 'choice')
  if (E.isLeft(weakest)) return weakest
  const { confidence: thoroughnessConfidence } = thoroughness.right
  if (thoroughnessConfidence === undefined) return E.left(describeNoConfidence('thoroughness'))
  const { confidence: weakestConfidence } = weakest.right
  if (weakestConfidence === undefined) return E.left(describeNoConfidence('weakest_area'))
  return E.right({
    behaviors: readings,
    contradictsSpec: contradicts.right.noul,
    thoroughness: thoroughness.right.score,
    thoroughnessConfidence,
    weakestArea: weakest.right.choice,
    weakestConfidence,
  })
}

const describeNoConfidence = (id: string): string => `answer "${id}" has no confidence`
