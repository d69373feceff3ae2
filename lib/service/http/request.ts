import * as E from 'fp-ts/Either'
import { decodeChecked } from '../../codec/request-faults'
import { type Json, kindOf, members, stringOf } from '../../json/json'
import { parseJson } from '../../json/parse'
import type { EngineQuestion, EngineRequest } from '../engines/engine'
import { faulty, invalidJson, type Problem } from '../problem'
import type { AnswerWriter } from './answers'
import { knownQuestion, questionReader, type ReadQuestion } from './known-questions'

/** A request document that can be answered. */
export interface CheckedAsk {
  /** As the document names it; absent and empty mean the latest. */
  readonly model: string | undefined
  readonly request: EngineRequest
  /** What writes the answers, by question. */
  readonly writers: ReadonlyArray<AnswerWriter>
}

/** Reads and checks a request document; 400 for what is no JSON, 422 with every fault. D37 */
export type ReadAsk = (body: Buffer) => E.Either<Problem, CheckedAsk>

/** Questions are read through `readQuestion`, which may know them from before. */
export const askReader =
  (readQuestion: ReadQuestion = questionReader()): ReadAsk =>
  (body) => {
    const document = parseJson(body)
    if (E.isLeft(document)) {
      return E.left(invalidJson(`invalid request JSON: ${document.left.message}`))
    }
    const sound = readSound(document.right, readQuestion)
    return sound === undefined ? readWhole(document.right) : E.right(sound)
  }

/** A request without a fault, in one pass; `undefined` where there may be one. */
const readSound = (document: Json, readQuestion: ReadQuestion): CheckedAsk | undefined => {
  if (kindOf(document) !== 'object') return undefined
  let state: Json | undefined
  let given: Json | undefined
  let model: Json | undefined
  for (const { key, value } of members(document)) {
    if (key === 'state') state = value
    else if (key === 'questions') given = value
    else if (key === 'model') model = value
  }
  if (state === undefined || given === undefined || kindOf(given) !== 'object') return undefined
  if (model !== undefined && kindOf(model) !== 'string') return undefined
  const questions: Array<readonly [string, EngineQuestion]> = []
  const writers: Array<AnswerWriter> = []
  for (const { key, value } of members(given)) {
    const known = key === '' ? undefined : readQuestion(value)
    if (known === undefined) return undefined
    questions.push([key, known.question])
    writers.push(known.write)
  }
  if (questions.length === 0) return undefined
  return { model: nameOf(model && stringOf(model)), request: { state, questions }, writers }
}

/** A request that `readSound` does not take, with all its faults. */
const readWhole = (document: Json): E.Either<Problem, CheckedAsk> => {
  const decoded = decodeChecked(document)
  if (E.isLeft(decoded)) return E.left(faulty(decoded.left))
  const { state, model, questions } = decoded.right
  const read = questions.map(([id, question]) => [id, knownQuestion(question)] as const)
  return E.right({
    model: nameOf(model),
    request: { state, questions: read.map(([id, { question }]) => [id, question] as const) },
    writers: read.map(([, { write }]) => write),
  })
}

const nameOf = (model: string | undefined): string | undefined => (model === '' ? undefined : model)
