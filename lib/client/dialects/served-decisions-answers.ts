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

/** A question as it was asked and in svc's own form. */
export interface NamedQuestion {
  readonly wire: WireQuestion
  readonly id: string
  readonly question: RequestQuestion
  /** The labels of a choice, one for each of the values asked for. */
  readonly labels: ReadonlyArray<string>
}

/**
 * Writes a response: one answer for each question, in their order, with every field that strict clients look for. A
 * question without an answer was refused one. Fails if an answer lacks what this dialect needs.
 */
export const encodeDecisionsAnswers =
  (named: ReadonlyArray<NamedQuestion>): DecodedRequest['encodeResponse'] =>
  ({ model, answers, usage }) => {
    const byId = new Map(answers)
    const written: Array<Draft> = []
    for (const one of named) {
      const answer = writeAnswer(one, byId.get(one.id))
      if (answer === undefined)
        return E.left(
          `no usable answer to the question ${JSON.stringify(cutTo(one.id, maxNameBytes))}`,
        )
      written.push(answer)
    }
    return E.right({ model, answers: written, usage: writeUsage(usage) })
  }

/** Token counts; 0 if the engine counts none, since clients expect numbers. */
const writeUsage = ({ input_tokens, output_tokens }: ServedAnswers['usage']): Draft => {
  const [input, output] = [countOf(input_tokens), countOf(output_tokens)]
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

const countOf = (tokens: JsonValue | number | null): number =>
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

/** Writes one answer; `undefined` if it does not fit the question or lacks its probabilities. */
const writeAnswer = (
  { wire, labels }: NamedQuestion,
  answer: Draft | undefined,
): Draft | undefined => {
  const name = wire.name ?? null
  if (answer === undefined) return { type: 'refusal', name }
  const read = fields.decode(toJson(answer))
  if (E.isLeft(read)) return undefined
  const { type, noul, choice, score, confidence, probabilities } = read.right
  if (type === 'refusal') return { type, name }
  if (wire.type === 'predicate')
    return type === 'noul' && noul ? { type: 'predicate', name, probability: noul } : undefined
  if (type !== wire.type || !probabilities?.size) return undefined
  const listed = keysOf(wire, labels).map((key) => probabilities.get(key) ?? 0)
  const numbers = listed.map(shareOf)
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

/** The names of a question's probabilities, in the order of its labels or levels. */
const keysOf = (
  wire: Exclude<WireQuestion, { readonly type: 'predicate' }>,
  labels: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  wire.type === 'choice' ? labels : wire.levels.map((_, level) => String(level))

const shareOf = (share: JsonValue | number): number =>
  typeof share === 'number' ? share : (numberIn(share) ?? Number.NaN)
