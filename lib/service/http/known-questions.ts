import * as E from 'fp-ts/Either'
import { Question } from '../../codec/question'
import { checkQuestion } from '../../codec/question-limits'
import { Json } from '../../json/json'
import type { EngineQuestion } from '../engines/engine'
import { type AnswerShape, type AnswerWriter, answerWriter } from './answers'
import { Recent, type RecentLimits } from './recent'

/** A checked question, and what writes its answer. Depends on the question's text alone. */
export interface KnownQuestion {
  readonly question: EngineQuestion
  readonly write: AnswerWriter
}

/** What a service keeps of the questions it is asked again and again. */
export const questionLimits: RecentLimits = {
  entries: 1024,
  characters: 1 << 20,
  longest: 1 << 14,
}

/** Reads a question; `undefined` where it has a fault. */
export type ReadQuestion = (question: Json) => KnownQuestion | undefined

/**
 * Reads questions. One that comes a second time is kept and not read again; it lives in a copy of its own
 * text, so that nothing else of the request stays: neither its state nor its other members.
 */
export const questionReader = (
  known: Recent<KnownQuestion | 'seen'> = new Recent(questionLimits),
): ReadQuestion => {
  return ({ bytes, start, end }) => {
    const key = bytes.toString('latin1', start, end)
    const found = known.get(key)
    if (found !== undefined && found !== 'seen') return found
    const json = found === 'seen' ? copyOf(bytes, start, end) : new Json(bytes, start, end)
    const read = Question.decode(json)
    if (E.isLeft(read) || checkQuestion(read.right).length > 0) return undefined
    const question = knownQuestion(read.right)
    known.set(key, found === 'seen' ? question : 'seen')
    return question
  }
}

/** In memory of its own: small buffers share a larger one. */
const copyOf = (bytes: Buffer, start: number, end: number): Json => {
  const own = Buffer.allocUnsafeSlow(end - start)
  bytes.copy(own, 0, start, end)
  return new Json(own, 0, own.length)
}

/** A question as the engine sees it, and its answer's shape. */
export const knownQuestion = (question: Question): KnownQuestion => ({
  question: forEngine(question),
  write: answerWriter(shapeOf(question)),
})

/** Criteria are there: the check refuses a choice or score without. */
const forEngine = (question: Question): EngineQuestion => {
  switch (question.type) {
    case 'choice':
      return { ...question, criteria: question.criteria ?? [] }
    case 'score':
      return { ...question, criteria: question.criteria ?? [] }
    default:
      return question
  }
}

/** A type outside the three never gets to an answer that the service writes. */
const shapeOf = (question: Question): AnswerShape => {
  switch (question.type) {
    case 'choice':
      return { type: 'choice', labels: (question.criteria ?? []).map(([label]) => label) }
    case 'score':
      return { type: 'score', levels: question.criteria ?? [] }
    default:
      return { type: 'noul' }
  }
}
