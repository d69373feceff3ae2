import * as E from 'fp-ts/Either'
import { type Draft, Entries, encode } from '../../json/draft'
import type {
  AnsweringEngine,
  AskDocument,
  AskFacts,
  AskOutcome,
  EngineAnswer,
  EngineContext,
  EngineFailure,
  EngineRequest,
} from '../engines/engine'
import { resolveModel } from '../engines/models'
import { settled } from '../engines/settled'
import { clipped, engineFailed, type Problem, unknownModel, unsupportedType } from '../problem'
import { answerTo } from './derive-answer'
import type { CheckedAsk } from './read-ask'

/** Reads and checks a request document, on this thread or on a worker thread. */
export type ReadAsk = (
  body: Uint8Array,
  context: EngineContext,
) => Promise<E.Either<Problem | EngineFailure, CheckedAsk>>

/**
 * Turns a request document into a response document: reads and checks it, asks the engine and writes the
 * response. Takes and returns plain values only, so that it can run in a worker thread. D37, D39, D69
 */
export const answerAsk =
  (engine: AnsweringEngine, read: ReadAsk): AskDocument =>
  async (body, context) => {
    const asked = await read(body, context)
    if (E.isLeft(asked)) return { result: asked }
    const { model: requested, request } = asked.right
    const facts = {
      model: requested === undefined ? undefined : clipped(requested),
      types: typesOf(request),
    }
    const model = resolveModel(engine.models, requested)
    if (model === undefined) return { facts, result: E.left(unknownModel(requested ?? '')) }
    const refused = firstUnsupported(engine, request)
    if (refused !== undefined) return { facts, result: E.left(refused) }
    const answer = await settled(engine.answer(request, model, context), request.state.bytes)
    return { facts, result: E.isLeft(answer) ? answer : responseTo(request, answer.right) }
  }

/** Counts the questions of each type. */
const typesOf = ({ questions }: EngineRequest): AskFacts['types'] => {
  const types = { noul: 0, choice: 0, score: 0, other: 0 }
  for (const [, { type }] of questions) types[type] += 1
  return types
}

/** The 400 for the first question whose type the engine does not support; `undefined` if it supports all. */
const firstUnsupported = (
  engine: AnsweringEngine,
  { questions }: EngineRequest,
): Problem | undefined => {
  for (const [id, question] of questions) {
    const type = question.type === 'other' ? question.name : question.type
    if (engine.supports(type)) continue
    const message = `questions.${clipped(id)}: unsupported question type "${clipped(type)}"`
    return unsupportedType(message)
  }
  return undefined
}

/**
 * Writes the response document. Fails where the engine's answers do not fit the questions. spec: Response
 * document
 */
const responseTo = (
  { questions }: EngineRequest,
  { model, answers, usage }: EngineAnswer,
): AskOutcome['result'] => {
  if (answers.length !== questions.length) return E.left(brokenAnswer)
  const written: Array<readonly [id: string, answer: Draft]> = []
  for (const [i, [id, question]] of questions.entries()) {
    const given = answers[i]
    const answer = given && answerTo(question, given)
    if (answer === undefined) return E.left(brokenAnswer)
    written.push([id, answer])
  }
  const body = encode({ model, answers: new Entries(written), usage })
  return E.right({ body, model, usage })
}

const brokenAnswer: Problem = engineFailed('The engine gave no usable answer.')
