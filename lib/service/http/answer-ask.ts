import * as E from 'fp-ts/Either'
import { type Draft, Entries, encode } from '../../json/draft'
import type {
  AnsweringEngine,
  AskDocument,
  AskFacts,
  AskOutcome,
  EngineAnswer,
  EngineContext,
  EngineRequest,
} from '../contract/engine'
import { isAlias } from '../contract/models'
import {
  clipped,
  engineFailed,
  type Problem,
  unknownModel,
  unsupportedType,
} from '../contract/problem'
import { settled } from '../engines/settled'
import { answerTo } from './derive-answer'
import type { CheckedAsk } from './read-ask'

/** Reads and checks a request document, on this thread or on a worker thread. */
export type ReadAsk = (
  body: Uint8Array,
  context: EngineContext,
) => Promise<E.Either<Problem, CheckedAsk>>

/**
 * Turns a request document into a response document: reads and checks it, asks the engine and writes the
 * response. Takes and returns plain values only, so that it can run in a worker thread. D37, D39, D69
 */
export const answerAsk =
  (engine: AnsweringEngine, read: ReadAsk): AskDocument =>
  async (body, context) => {
    const asked = await read(body, context)
    if (E.isLeft(asked)) return { result: asked }
    const { model: requested, state } = asked.right
    const model = engine.model.name
    const facts = {
      model: requested === undefined ? undefined : clipped(requested),
      types: typesOf(asked.right.questions),
    }
    if (requested !== undefined && requested !== model && !isAlias(requested))
      return { facts, result: E.left(unknownModel(requested)) }
    const questions = supported(asked.right.questions)
    if (E.isLeft(questions)) return { facts, result: questions }
    const request = { state, questions: questions.right }
    const answer = await settled(engine.answer(request, context), state.bytes)
    return { facts, result: E.isLeft(answer) ? answer : responseTo(request, model, answer.right) }
  }

type Asked = CheckedAsk['questions']
type Supported = EngineRequest['questions']

/** Counts the questions of each type. */
const typesOf = (questions: Asked): AskFacts['types'] => {
  const types = { noul: 0, choice: 0, score: 0, other: 0 }
  for (const [, { type }] of questions) types[type] += 1
  return types
}

/** The questions, where engines answer all their types; else the 400 for the first that they do not. */
const supported = (questions: Asked): E.Either<Problem, Supported> => {
  const found: Array<Supported[number]> = []
  for (const [id, question] of questions) {
    if (question.type === 'other') {
      const type = clipped(question.name)
      return E.left(
        unsupportedType(`questions.${clipped(id)}: unsupported question type "${type}"`),
      )
    }
    found.push([id, question])
  }
  return E.right(found)
}

/**
 * Writes the response document. Fails where the engine's answers do not fit the questions. spec: Response
 * document
 */
const responseTo = (
  { questions }: EngineRequest,
  model: string,
  { answers, usage }: EngineAnswer,
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
