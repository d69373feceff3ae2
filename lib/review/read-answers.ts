import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { Answer } from '../codec/answer'
import type { AskResponse } from '../codec/response'
import { formatCoversId } from './questions'
import type { BehaviorReading, Readings } from './verdict'

type Type = 'noul' | 'choice' | 'score'

/**
 * Returns a function that reads the answer to a question. It fails with a message if the answer is missing, refused
 * or of another type.
 */
const readAnswersOf = (response: AskResponse) => {
  const { answers } = response
  return <T extends Type>(id: string, type: T): E.Either<string, Extract<Answer, { type: T }>> => {
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
    return numbersOf(answer).every(Number.isFinite)
      ? E.right(answer)
      : E.left(`answer "${id}" holds a number out of range`)
  }
}

const isOfType = <T extends Type>(
  answer: Answer,
  type: T,
): answer is Extract<Answer, { type: T }> => answer.type === type

const numbersOf = (answer: Answer): ReadonlyArray<number> => {
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

/** Reads the confidence of an answer. The report always has one, but some services give none. */
const confidenceOf = (
  id: string,
  { confidence }: { readonly confidence?: number },
): E.Either<string, number> =>
  confidence === undefined ? E.left(`answer "${id}" has no confidence`) : E.right(confidence)

/**
 * Reads the answers about a unit from a response. Fails with a message about the first answer that is missing,
 * refused or of another type.
 */
export const readAnswersAbout = (
  behaviors: ReadonlyArray<string>,
  response: AskResponse,
): E.Either<string, Readings> => {
  const answer = readAnswersOf(response)
  const readBehavior = ([index, behavior]: readonly [number, string]) => {
    const id = formatCoversId(index)
    const toReading = (covered: number): BehaviorReading => ({ id, behavior, covered })
    return E.map(({ noul }: { readonly noul: number }) => toReading(noul))(answer(id, 'noul'))
  }
  return pipe(
    E.Do,
    E.bind('behaviors', () => E.traverseArray(readBehavior)([...behaviors.entries()])),
    E.bind('contradicts', () => answer('contradicts_spec', 'noul')),
    E.bind('thorough', () => answer('thoroughness', 'score')),
    E.bind('weakest', () => answer('weakest_area', 'choice')),
    E.bind('thoroughConfidence', ({ thorough }) => confidenceOf('thoroughness', thorough)),
    E.bind('weakestConfidence', ({ weakest }) => confidenceOf('weakest_area', weakest)),
    E.map(({ contradicts, thorough, weakest, ...read }) => ({
      behaviors: read.behaviors,
      contradictsSpec: contradicts.noul,
      thoroughness: thorough.score,
      thoroughnessConfidence: read.thoroughConfidence,
      weakestArea: weakest.choice,
      weakestConfidence: read.weakestConfidence,
    })),
  )
}
