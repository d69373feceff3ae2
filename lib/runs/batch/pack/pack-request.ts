import { type Draft, toJson } from '../../../codec/json/draft'
import { type JsonObject, type JsonValue, Literal } from '../../../codec/json/json'
import type { RequestQuestion } from '../../../codec/question'
import { type AskRequest, encodeQuestions } from '../../../codec/request'
import type { AskResponse } from '../../../codec/response'
import type { BatchItem, ItemAnswers } from '../batch-item'
import type { BatchPlan } from '../plan'

type Questions = AskRequest['questions']

/** The name of the row at a position, from 0, in the state of a request: `r1` is the first. */
const nameRow = (position: number): string => `r${position + 1}`

/** The id of a question about a row of a request. */
const nameQuestion = (position: number, id: string): string => `${nameRow(position)}/${id}`

/**
 * Creates the request about several rows: their states are the members of `rows`, and each question is asked once for each row. The
 * instructions say which row is meant. The rows must be valid.
 */
export const createPackRequest = (
  items: ReadonlyArray<BatchItem>,
  { template }: Pick<BatchPlan, 'template'>,
): AskRequest => {
  const rows = new Map<string, JsonValue>()
  for (const [position, { row }] of items.entries()) rows.set(nameRow(position), row.state ?? null)
  const state: JsonObject = new Map([['rows', rows]])
  return { ...template, state, questions: listPackQuestions(template.questions, items.length) }
}

/** Encodes the questions of a request about `size` rows, to measure them. */
export const createPackQuestions = (questions: Questions, size: number): Draft =>
  encodeQuestions(listPackQuestions(questions, size))

const listPackQuestions = (questions: Questions, size: number): Questions => {
  const packed: Array<Questions[number]> = []
  for (let position = 0; position < size; position++)
    for (const [id, question] of questions)
      packed.push([nameQuestion(position, id), addEntry(question, nameRow(position))])
  return packed
}

/** Adds to the instructions of a question the entry of `rows` that it is about. */
const addEntry = (question: RequestQuestion, entry: string): RequestQuestion =>
  // A question of an unknown type has no instructions that svc knows. Such questions are refused before.
  question.type === 'other'
    ? question
    : { ...question, instructions: createInstructions(question.instructions, entry) }

const createInstructions = (instructions: JsonValue | undefined, entry: string): JsonValue => {
  if (instructions === undefined) return `About the entry ${entry} of rows only.`
  return typeof instructions === 'string'
    ? `About the entry ${entry} of rows only: ${instructions}`
    : toJson({ entry, question: instructions })
}

/**
 * Splits the response about several rows into the answers to each. `undefined` stands for a row that lacks an answer. The first row that
 * has all its answers carries the tokens of the request, and the others have none, so that a sum over records is right.
 */
export const splitPackResponse = (
  response: AskResponse,
  { template }: Pick<BatchPlan, 'template'>,
  rows: number,
): ReadonlyArray<ItemAnswers | undefined> => {
  let received: AskResponse = response
  const split: Array<ItemAnswers | undefined> = []
  for (let position = 0; position < rows; position++) {
    const answers = selectAnswers(response, template.questions, position)
    split.push(answers && { response: { ...received, answers }, pack: { rows, position } })
    if (answers !== undefined) received = withoutTokens(response)
  }
  return split
}

/** Returns the answers about one row by the ids of the questions; `undefined` if one is missing. */
const selectAnswers = (
  response: AskResponse,
  questions: Questions,
  position: number,
): AskResponse['answers'] | undefined => {
  const answers = new Map<string, ReturnType<AskResponse['answers']['get']> & object>()
  for (const [id] of questions) {
    const answer = response.answers.get(nameQuestion(position, id))
    if (answer === undefined) return undefined
    answers.set(id, answer)
  }
  return answers
}

const zero = new Literal('0')

/** Returns the response with no tokens and, if the service sends costs, no cost. */
const withoutTokens = (response: AskResponse): AskResponse => ({
  ...response,
  usage: { input_tokens: zero, output_tokens: zero },
  usageDetails: response.usageDetails?.has('cost') ? new Map([['cost', zero]]) : undefined,
})
