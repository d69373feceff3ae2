import * as E from 'fp-ts/Either'
import { type Decoded, jsonNumber, objectOfEach, string } from '../../codec/combinators'
import { maxNameBytes } from '../../codec/fault'
import { type Draft, toJson } from '../../codec/json/draft'
import { type JsonValue, numberIn } from '../../codec/json/json'
import { object } from '../../codec/object'
import { computeChoiceConfidence, computeScoreConfidence } from '../../codec/probabilities'
import type { RequestQuestion } from '../../codec/question'
import { cutWithEllipsis } from '../../text/sanitize'
import type { WireQuestion } from './decisions-request'
import type { ServedAnswers } from './served-dialect'

/** A question of a request to `svc serve`, in two forms. */
export interface TwoFormQuestion {
  /** The form in the `decisions` dialect, as the client has sent it. */
  readonly wire: WireQuestion
  /** The form in the `questions` dialect, which engines answer. */
  readonly question: RequestQuestion
  readonly id: string
  /** The labels of a choice, one for each value. Empty for other questions. */
  readonly labels: ReadonlyArray<string>
}

/**
 * Encodes the response of `svc serve` in the `decisions` dialect: one answer for each question, in the same order, with every field
 * that strict clients require. A question without an answer becomes a refusal. Fails with the reason if `encodeAnswer`
 * cannot encode an answer.
 */
export const encodeDecisionsAnswers = (
  questions: ReadonlyArray<TwoFormQuestion>,
  { model, answers, usage }: ServedAnswers,
): E.Either<string, Draft> => {
  const answersById = new Map(answers)
  const encoded: Draft[] = []
  for (const question of questions) {
    const answer = encodeAnswer(question, answersById.get(question.id))
    if (answer === undefined) {
      const shownId = JSON.stringify(cutWithEllipsis(question.id, maxNameBytes))
      return E.left(`no usable answer to the question ${shownId}`)
    }
    encoded.push(answer)
  }
  return E.right({ model, answers: encoded, usage: encodeUsage(usage) })
}

/** Encodes token counts. Unknown counts are 0, because clients require numbers. */
const encodeUsage = ({ input_tokens, output_tokens }: ServedAnswers['usage']): Draft => {
  const input = toNumber(input_tokens)
  const output = toNumber(output_tokens)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

const answerFieldsDecoder = object(
  { type: string },
  {
    noul: jsonNumber,
    choice: string,
    score: jsonNumber,
    confidence: jsonNumber,
    probabilities: objectOfEach(jsonNumber),
  },
)
type AnswerFields = Decoded<typeof answerFieldsDecoder>

/**
 * Encodes an answer. A missing answer becomes a refusal. `undefined` if the answer has the wrong type or an unknown label, or if a
 * required field, such as its probabilities, is missing or invalid. The answer to a yes/no question has its probability in the field `noul`.
 */
const encodeAnswer = (
  { wire, labels }: TwoFormQuestion,
  answer: Draft | undefined,
): Draft | undefined => {
  const name = wire.name ?? null
  if (answer === undefined) return { type: 'refusal', name }
  const fields = answerFieldsDecoder.decode(toJson(answer))
  if (E.isLeft(fields)) return undefined
  const { type, noul } = fields.right
  if (type === 'refusal') return { type, name }
  switch (wire.type) {
    case 'predicate':
      if (type !== 'noul' || noul === undefined) return undefined
      return { type: 'predicate', name, probability: noul }
    case 'choice':
      return type === 'choice' ? encodeChoice(wire, labels, fields.right) : undefined
    case 'score':
      return type === 'score' ? encodeScore(wire, fields.right) : undefined
  }
}

type WireChoice = Extract<WireQuestion, { readonly type: 'choice' }>
type WireScore = Extract<WireQuestion, { readonly type: 'score' }>

/** Encodes the answer to a choice. A label without a probability gets 0. */
const encodeChoice = (
  { name, choices }: WireChoice,
  labels: ReadonlyArray<string>,
  { type, choice, confidence, probabilities }: AnswerFields,
): Draft | undefined => {
  // `labels` has one label for each element of `choices`, in the same order.
  const chosenOption = choices.find((_, index) => labels[index] === choice)
  if (chosenOption === undefined || !probabilities?.size) return undefined
  const labelProbabilities = labels.map((label) => probabilities.get(label) ?? 0)
  const maxProbability = Math.max(...labelProbabilities.map(toNumber))
  return {
    type,
    name: name ?? null,
    choice: chosenOption.value,
    probabilities: choices.map(({ value }, index) => ({
      value,
      probability: labelProbabilities[index],
    })),
    confidence: confidence ?? computeChoiceConfidence(maxProbability, labels.length),
  }
}

/** Encodes the answer to a score. A level without a probability gets 0. */
const encodeScore = (
  { name, levels }: WireScore,
  { type, score, confidence, probabilities }: AnswerFields,
): Draft | undefined => {
  if (score === undefined || !probabilities?.size) return undefined
  const levelProbabilities = levels.map((_, level) => probabilities.get(String(level)) ?? 0)
  return {
    type,
    name: name ?? null,
    score,
    probabilities: levels.map(({ label }, level) => ({
      value: level,
      label,
      probability: levelProbabilities[level],
    })),
    confidence: confidence ?? computeScoreConfidence(levelProbabilities.map(toNumber)),
  }
}

/** Returns the value of a number; 0 for any other JSON value. */
const toNumber = (value: JsonValue | number): number =>
  typeof value === 'number' ? value : (numberIn(value) ?? 0)
