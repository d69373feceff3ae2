import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Answer, decodeAnswer } from '../../codec/answer'
import { decodeValues, json, number, string } from '../../codec/combinators'
import { firstFault, formatLoc, longestName, nowhere, requiredMessage } from '../../codec/fault'
import { dropNull, type JsonValue, kindOf, memberIn, numberOf } from '../../codec/json/json'
import { errorsOf, object } from '../../codec/object'
import { cutTo } from '../../failure/text/cut'

/** A row that was answered. */
export interface Answered {
  readonly model: string
  readonly answers: ReadonlyMap<string, Answer>
  /** Tokens; null where the service sent no count. */
  readonly usage: { readonly input: number | null; readonly output: number | null }
  readonly gate: { readonly passed: boolean } | undefined
}

/** A row that failed, with the object of an error envelope. */
export interface Failed {
  readonly error: ErrorObject
}

/** The `error` of an envelope. spec: Error envelope */
export interface ErrorObject {
  readonly kind: string
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly message: string
}

/** Whether a record holds answers. */
export const isAnswered = (outcome: Answered | Failed): outcome is Answered => 'answers' in outcome

/** Decodes what came of a row, or says what is wrong with it. `document` is the whole record. */
export const decodeOutcome = (document: JsonValue): E.Either<string, Answered | Failed> => {
  const error = memberIn(document, 'error')
  return error === undefined ? decodeAnswered(document) : decodeFailed(error)
}

const ErrorDocument = object(
  { kind: string, message: string },
  { status: number, request_id: string },
)

const decodeFailed = (error: JsonValue): E.Either<string, Failed> =>
  pipe(
    ErrorDocument.decode(error),
    E.bimap(
      () => '"error" must be an object with "kind" and "message"',
      ({ kind, status, request_id, message }) => ({
        error: { kind, status, requestId: request_id, message },
      }),
    ),
  )

const decodeAnswered = (document: JsonValue): E.Either<string, Answered> => {
  const given = memberIn(document, 'answers')
  if (given === undefined || kindOf(given) !== 'object')
    return E.left('neither "answers" nor "error" is an object')
  const model = dropNull(memberIn(document, 'model'))
  if (model === undefined) return E.left(`model: ${requiredMessage}`)
  if (typeof model !== 'string') return E.left('model: must be a string')
  const usage = decodeUsage(dropNull(memberIn(document, 'usage')))
  if (E.isLeft(usage)) return usage
  const answers = decodeValues(decodeAnswer, given, nowhere)
  if (E.isLeft(answers)) return E.left(describeFaultOfAnswers(document, given))
  const gate = memberIn(document, 'gate')
  const passed = memberIn(gate, 'passed')
  if (gate !== undefined && typeof passed !== 'boolean') return E.left('"gate" must have "passed"')
  return E.right({
    model,
    answers: answers.right,
    usage: usage.right,
    gate: typeof passed === 'boolean' ? { passed } : undefined,
  })
}

const noUsage: Answered['usage'] = { input: null, output: null }

/** The tokens that a usage counts, or what is wrong with it. A member that is null counts as absent. */
const decodeUsage = (usage: JsonValue | undefined): E.Either<string, Answered['usage']> => {
  if (usage === undefined) return E.right(noUsage)
  if (kindOf(usage) !== 'object') return E.left('usage: must be an object')
  const input = tokensIn(usage, 'input_tokens')
  const output = tokensIn(usage, 'output_tokens')
  if (input !== 'faulty' && output !== 'faulty') return E.right({ input, output })
  return E.left(`usage.${input === 'faulty' ? 'input' : 'output'}_tokens: must be an integer`)
}

const tokensIn = (usage: JsonValue, name: string): number | null | 'faulty' => {
  const given = dropNull(memberIn(usage, name))
  if (given === undefined) return null
  const tokens = kindOf(given) === 'number' ? numberOf(given) : Number.NaN
  return Number.isInteger(tokens) ? tokens : 'faulty'
}

/** Words the first fault of answers. Names in it are cut, since they may be as long as the record. D67 */
const describeFaultOfAnswers = (document: JsonValue, answers: JsonValue): string => {
  const whole = { key: '', type: json, actual: document }
  const inside = [whole, { key: 'answers', type: json, actual: answers }]
  const { loc, message } = firstFault(errorsOf(decodeValues(decodeAnswer, answers, inside)))
  const place = loc.map((part) => (typeof part === 'string' ? cutTo(part, longestName) : part))
  return `${formatLoc(place)}: ${message}`
}
