import * as E from 'fp-ts/Either'
import { literalNumber, objectOfEach, string } from '../../codec/combinators'
import { maxNameBytes } from '../../codec/fault'
import { type Draft, toJson } from '../../codec/json/draft'
import { type JsonValue, numberIn } from '../../codec/json/json'
import { object } from '../../codec/object'
import { choiceConfidence, scoreConfidence } from '../../codec/probabilities'
import type { RequestQuestion } from '../../codec/question'
import { cutTo } from '../../failure/text/cut'
import type { WireQuestion } from './decisions-documents'
import type { DecodedRequest, ServedAnswers } from './served'

/** A question in the form of this dialect and of the `questions` dialect. */
export interface NamedQuestion {
  readonly wire: WireQuestion
  readonly id: string
  readonly question: RequestQuestion
  /** The labels of a choice, one for each value. Empty for other questions. */
  readonly labels: ReadonlyArray<string>
}

/**
 * Encodes a response: one answer for each question, in the same order, with every field that strict clients require. A question
 * without an answer becomes a refusal. Fails with the reason if an answer has no probabilities.
 */
export const encodeDecisionsAnswers =
  (named: ReadonlyArray<NamedQuestion>): DecodedRequest['encodeResponse'] =>
  ({ model, answers, usage }) => {
    const byId = new Map(answers)
    const encoded: Array<Draft> = []
    for (const question of named) {
      const { id } = question
      const answer = encodeAnswer(question, byId.get(id))
      if (answer === undefined)
        return E.left(`no usable answer to the question ${JSON.stringify(cutTo(id, maxNameBytes))}`)
      encoded.push(answer)
    }
    return E.right({ model, answers: encoded, usage: encodeUsage(usage) })
  }

/** Encodes token counts. Unknown counts are 0, because clients require numbers. */
const encodeUsage = ({ input_tokens, output_tokens }: ServedAnswers['usage']): Draft => {
  const input = toCount(input_tokens)
  const output = toCount(output_tokens)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

const toCount = (tokens: JsonValue | number | null): number =>
  typeof tokens === 'number' ? tokens : (numberIn(tokens ?? undefined) ?? 0)

const fields = object(
  { type: string },
  {
    noul: literalNumber,
    choice: string,
    score: literalNumber,
    confidence: literalNumber,
    probabilities: objectOfEach(literalNumber),
  },
)

/** Encodes an answer; `undefined` if it has the wrong type or no probabilities. */
const encodeAnswer = (
  { wire, labels }: NamedQuestion,
  answer: Draft | undefined,
): Draft | undefined => {
  const name = wire.name ?? null
  if (answer === undefined) return { type: 'refusal', name }
  const decoded = fields.decode(toJson(answer))
  if (E.isLeft(decoded)) return undefined
  const { type, noul, choice, score, confidence, probabilities } = decoded.right
  if (type === 'refusal') return { type, name }
  if (wire.type === 'predicate')
    return type === 'noul' && noul ? { type: 'predicate', name, probability: noul } : undefined
  if (type !== wire.type || !probabilities?.size) return undefined
  const listed = listKeys(wire, labels).map((key) => probabilities.get(key) ?? 0)
  const numbers = listed.map(toNumber)
  if (wire.type === 'score')
    return (
      score && {
        type,
        name,
        score,
        probabilities: wire.levels.map(({ label }, value) => ({
          value,
          label,
          probability: listed[value],
        })),
        confidence: confidence ?? scoreConfidence(numbers),
      }
    )
  const chosen = wire.choices.find((_, i) => labels[i] === choice)
  return (
    chosen && {
      type,
      name,
      choice: chosen.value,
      probabilities: wire.choices.map(({ value }, i) => ({ value, probability: listed[i] })),
      confidence: confidence ?? choiceConfidence(Math.max(...numbers), labels.length),
    }
  )
}

/** Lists the keys of the probabilities of an answer, in the order of the labels or levels. */
const listKeys = (
  wire: Exclude<WireQuestion, { readonly type: 'predicate' }>,
  labels: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  wire.type === 'choice' ? labels : wire.levels.map((_, level) => String(level))

const toNumber = (probability: JsonValue | number): number =>
  typeof probability === 'number' ? probability : (numberIn(probability) ?? Number.NaN)
