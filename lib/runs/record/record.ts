import { hash } from 'node:crypto'
import { type Draft, encode, encodeText, printEscaped } from '../../codec/json/draft'
import { type JsonValue, numberIn, numberOf } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import { encodeQuestions } from '../../codec/request'
import { type AskResponse, encodeResponse, type ReceivedUsage } from '../../codec/response'

/** The first members of a record, which describe its row. Its outcome follows them. */
export interface RecordHead {
  /** The position of the row in the input, from 0. */
  readonly index: number
  /** The time of the answer (RFC 3339, UTC), in the answer log of `svc serve`. */
  readonly time?: string | undefined
  /** The name of the caller's key, in the answer log of `svc serve`. */
  readonly caller?: string | undefined
  /** The number of the repetition with `--repeat`, from 0. */
  readonly repetition?: number | undefined
  readonly id?: JsonValue | undefined
  readonly group?: JsonValue | undefined
  /** The correct answers, given by a person, by question id. */
  readonly labels?: ReadonlyArray<readonly [questionId: string, label: JsonValue]> | undefined
  /** Present only with `--with-state`. */
  readonly state?: JsonValue | undefined
  /** The digest of the state and the images. Absent if the state or an image could not be read. */
  readonly stateSha256?: string | undefined
  /** The images of the request; absent without images. */
  readonly images?: ReadonlyArray<RecordImage> | undefined
  readonly questionsSha256: string
}

/** An image in a record, without its content. */
export interface RecordImage {
  readonly name: string
  readonly sha256: string
  /** The size in bytes. */
  readonly size: number
}

/** The place of a row among the rows of one request. */
export interface PackPlace {
  /** The number of rows of the request. */
  readonly rows: number
  /** The position of the row in the request, from 0. */
  readonly position: number
}

/** The outcome of a row: a response, the JSON object with its members in the order of a record, or the `error` of an error document. */
type RecordOutcome =
  | {
      readonly response: AskResponse
      /** `undefined` if the row was asked alone. */
      readonly pack?: PackPlace | undefined
      /** `true` if the response was taken from an earlier run. */
      readonly isReused: boolean
      readonly gate?: Draft | undefined
      readonly policy?: Draft | undefined
    }
  | { readonly json: Buffer }
  | { readonly error: Draft }

const comma = Buffer.from(',')
const newline = Buffer.from('\n')

/**
 * Encodes a record as a line, with its newline. Numbers keep their original text, such as `1.0`. Texts of the service are escaped, so
 * that a record on stdout cannot command a CI system. Those of the row are the user's own.
 */
export const encodeRecord = (head: RecordHead, outcome: RecordOutcome): Buffer => {
  const isIndented = false
  const tail = 'json' in outcome ? outcome.json : printEscaped(createTail(outcome), isIndented)
  // The head has the opening brace, and the tail the closing one.
  return Buffer.concat([encodeHead(head), tail.subarray(1), newline])
}

/** Encodes the beginning of a record, up to and including the comma before its outcome. `--resume` compares it with a torn line. */
export const encodeHead = (head: RecordHead): Buffer => {
  const json = encode({
    index: head.index,
    time: head.time,
    caller: head.caller,
    run: head.repetition,
    id: head.id,
    group: head.group,
    labels: head.labels && new Map<string, Draft>(head.labels),
    state: head.state,
    state_sha256: head.stateSha256,
    images: head.images?.map(({ name, sha256, size }) => ({ name, sha256, bytes: size })),
    questions_sha256: head.questionsSha256,
  })
  const withoutClosingBrace = json.subarray(0, -1)
  return Buffer.concat([withoutClosingBrace, comma])
}

const createTail = (outcome: Exclude<RecordOutcome, { readonly json: Buffer }>): Draft => {
  if ('error' in outcome) return { error: outcome.error }
  const { response, pack, isReused, gate, policy } = outcome
  const { usage, usageDetails = [] } = response
  return {
    ...encodeResponse(response),
    // Unlike a document of `svc ask`, a record keeps all members of the usage that the service sent.
    usage: new Map<string, Draft>([...Object.entries(usage), ...usageDetails]),
    pack: pack && { rows: pack.rows, position: pack.position },
    reused: isReused || undefined,
    gate,
    policy,
  }
}

/** Computes the SHA-256 of a value as JSON, in lower-case hexadecimal digits. */
export const digestValue = (value: Draft): string => hash('sha256', encode(value), 'hex')

/** Computes the digest of a state and the images of its request. */
export const digestState = (
  state: JsonValue,
  images: ReadonlyArray<Pick<RecordImage, 'name' | 'sha256'>>,
): string => {
  if (images.length === 0) return digestValue(state)
  const digests = new Map(images.map(({ name, sha256 }) => [name, sha256]))
  return hash('sha256', `${encodeText(state)}\n${encodeText(digests)}`, 'hex')
}

/** Computes the digest of questions, in the form in which a request has them. */
export const digestQuestions = (
  questions: ReadonlyArray<readonly [id: string, question: RequestQuestion]>,
): string => digestValue(encodeQuestions(questions))

/** The maximum number of questions of a run, and so of answers in a record. */
export const maxQuestions = 1000

/** The tokens and the cost of a response. */
export interface RecordedUsage {
  /** The number of input tokens; null if the service sent none. */
  readonly input: number | null
  /** The number of output tokens; null if the service sent none. */
  readonly output: number | null
  /** The cost in the response, in the currency of the service. */
  readonly cost?: number | undefined
}

/** Converts the usage of a response. A cost that is not a number, or is negative, becomes `undefined`. */
export const convertUsage = ({ usage, usageDetails }: ReceivedUsage): RecordedUsage => {
  const cost = numberIn(usageDetails?.get('cost'))
  return {
    input: usage.input_tokens && numberOf(usage.input_tokens),
    output: usage.output_tokens && numberOf(usage.output_tokens),
    cost: cost !== undefined && cost >= 0 ? cost : undefined,
  }
}
