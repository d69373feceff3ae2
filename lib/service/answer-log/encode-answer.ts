import { hash } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { decodeImages } from '../../codec/images'
import { type Draft, encodeText, printEscaped, toJson } from '../../codec/json/draft'
import { type JsonValue, Literal } from '../../codec/json/json'
import {
  digestQuestions,
  digestState,
  encodeRecord,
  type RecordHead,
  type RecordImage,
} from '../../runs/record/record'
import { escapeJson } from '../../text/sanitize'
import type { Redact } from '../../text/secret'
import type { AnsweredAsk } from './answered-request'

/** The facts about an answer that are not in its documents. */
export interface AnswerFacts {
  /** The time of the answer, in milliseconds since 1970. */
  readonly timeMs: number
  /** The name of the caller's key; `undefined` if it has none. */
  readonly caller: string | undefined
  /** The request id that the caller got. */
  readonly requestId: string
}

interface EncodeOptions {
  readonly index: number
  /** `true` to write the state. Its images are never written. */
  readonly withState: boolean
  readonly redact: Redact
}

/** Encodes an answer as a line of the log: a record of a run. Redacts secrets in everything but the digests. */
export const encodeAnswer = (
  ask: AnsweredAsk,
  { timeMs, caller, requestId }: AnswerFacts,
  { index, withState, redact }: EncodeOptions,
): Buffer => {
  const images = describeImages(ask)
  const head: RecordHead = {
    index,
    time: new Date(timeMs).toISOString(),
    caller,
    state: withState ? ask.state : undefined,
    stateSha256: digestState(ask.state, images),
    images: images.length === 0 ? undefined : images,
    questionsSha256: digestQuestions(ask.questions),
  }
  const line = encodeRecord(head, { json: encodeOutcome(ask, requestId) })
  const text = line.toString()
  // Most lines have no secret. Redacting the text of the line could also change a digest or cut a number, so it only shows whether
  // there may be one.
  if (redact(text) === text) return line
  const { model, answers, usage } = ask
  const redactValue = (value: Draft) => redactJson(toJson(value), redact)
  const redactedAsk = {
    model: redact(model),
    answers: redactValue(answers),
    usage: redactValue(usage),
  }
  return encodeRecord(
    {
      ...head,
      caller: caller && redact(caller),
      state: head.state === undefined ? undefined : redactValue(head.state),
      images: head.images?.map((image) => ({ ...image, name: redact(image.name) })),
    },
    { json: encodeOutcome(redactedAsk, redact(requestId)) },
  )
}

/** Encodes the members of a record from `model` on. Does not encode the answers again if the body of the response has them. */
const encodeOutcome = (
  {
    model,
    answers,
    usage,
    responseJson,
  }: Pick<AnsweredAsk, 'model' | 'answers' | 'usage' | 'responseJson'>,
  requestId: string,
): Buffer => {
  if (responseJson === undefined)
    return printEscaped({ model, answers, usage, request_id: requestId }, false)
  const text = Buffer.from(responseJson).toString()
  const withoutClosingBrace = escapeJson(text.slice(0, -1))
  return Buffer.from(`${withoutClosingBrace},"request_id":${encodeText(requestId)}}`)
}

/** Describes the images of a request. Ignores images in an invalid form, which no engine has read. */
const describeImages = ({ extra }: AnsweredAsk): ReadonlyArray<RecordImage> => {
  const images = decodeImages(extra)
  if (E.isLeft(images)) return []
  return images.right.map(({ name, base64 }) => {
    const bytes = Buffer.from(base64, 'base64')
    return { name, sha256: hash('sha256', bytes, 'hex'), size: bytes.length }
  })
}

/** Redacts secrets in the texts and names of a JSON value. A number that is a secret becomes a text. */
const redactJson = (value: JsonValue, redact: Redact): JsonValue => {
  if (typeof value === 'string') return redact(value)
  if (value instanceof Literal) {
    const redacted = redact(value.text)
    return redacted === value.text ? value : redacted
  }
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact))
  if (value instanceof Map)
    return new Map([...value].map(([name, item]) => [redact(name), redactJson(item, redact)]))
  return value
}
