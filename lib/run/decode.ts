import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/Either'
import { copyValue, type Json, kindOf, memberIn, valuesOf } from '../json/json'
import { parseJson } from '../json/parse'
import { type RunAnswer, readAnswer } from './answer'
import { isCount, namesInOrder, objectOf, type Plain, type PlainObject, plainOf } from './plain'

/** A record of a run, decoded: a row that was asked and what came of it. R1 */
export interface RunRecord {
  /** The line in the file, from 1. */
  readonly line: number
  readonly index: number
  readonly run: number | undefined
  /** A plain value, which may differ in writing; to show the id take it from `document`. */
  readonly id: Plain | undefined
  readonly group: Plain | undefined
  /** The labels by question id, without empty ones. R2 */
  readonly labels: ReadonlyMap<string, Label>
  readonly stateSha256: string | undefined
  readonly questionsSha256: string | undefined
  readonly outcome: Answered | Failed
  /** The probability with which the row was drawn into a sample; above 0, at most 1. R25 */
  readonly p: number | undefined
  /** The record as JSON that keeps its exact text (D7). Parsed again by each call. */
  readonly document: () => Json
}

/** The right answer according to a person: yes or no, a label, or the index of a level. R2 */
export type Label = boolean | string | number

/** A row that was answered. */
export interface Answered {
  readonly model: string
  readonly answers: ReadonlyMap<string, RunAnswer>
  /** Tokens; null where the service sent no count. */
  readonly usage: { readonly input: number | null; readonly output: number | null }
  readonly gate: { readonly passed: boolean } | undefined
}

/** A row that failed, with the object of an error envelope. */
interface Failed {
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

/** Why a text is not a record. */
export interface RecordFault {
  readonly cause: string
  /** Whether the text ends in the middle of its JSON. */
  readonly cut: boolean
}

/**
 * Decodes a record, or a document of `svc ask`, from its text. `line` is its line, for messages, and `position`
 * its index where the text has none. Unknown members are ignored. R1
 */
export const decodeRecord = (
  bytes: Buffer,
  line: number,
  position: number,
): E.Either<RecordFault, RunRecord> => {
  const value = plainValue(bytes, line)
  if (E.isLeft(value)) return value
  const document = (): Json => {
    const parsed = parseJson(bytes)
    // Cannot fail: the text has been read, and `JSON.parse` accepts no other.
    if (E.isLeft(parsed)) throw new Error(parsed.left.message)
    return parsed.right
  }
  const object = objectOf(value.right)
  const record =
    object === undefined ? 'a record must be an object' : recordOf(object, line, position, document)
  return typeof record === 'string'
    ? E.left({ cause: `line ${line}: ${record}`, cut: false })
    : E.right(record)
}

const backslash = 0x5c

/**
 * Reads a text as a plain value. `JSON.parse` takes half the time of this program's parser, but it refuses a byte
 * order mark, and on V8 13 it mistakes names with escapes; such texts are read by this program's own. So is a
 * malformed text, for a message that names the place and repeats nothing of the text.
 */
const plainValue = (bytes: Buffer, line: number): E.Either<RecordFault, Plain> => {
  if (isUtf8(bytes) && !bytes.includes(backslash))
    try {
      return E.right(JSON.parse(bytes.toString('utf8')))
    } catch {}
  const parsed = parseJson(bytes)
  if (E.isLeft(parsed)) {
    const { cause, offset, line: inside, column } = parsed.left
    const place = `line ${line + inside - 1}, column ${column}`
    return E.left({ cause: `${place}: ${cause}`, cut: offset >= bytes.length })
  }
  try {
    return E.right(plainOf(parsed.right))
  } catch {
    return E.left({ cause: `line ${line}: too deeply nested`, cut: false })
  }
}

/** Returns the record, or what is wrong with it. */
const recordOf = (
  object: PlainObject,
  line: number,
  position: number,
  document: () => Json,
): RunRecord | string => {
  const { index = position, run, id, group, p } = object
  const labels = labelsOf(object.labels)
  const stateSha256 = digestOf(object.state_sha256)
  const questionsSha256 = digestOf(object.questions_sha256)
  const outcome = object.error === undefined ? answered(object, document) : failed(object.error)
  if (!isCount(index)) return '"index" must be a whole number'
  if (run !== undefined && !isCount(run)) return '"run" must be a whole number'
  if (p !== undefined && !(typeof p === 'number' && p > 0 && p <= 1))
    return '"p" must be above 0 and at most 1'
  if (typeof labels === 'string') return labels
  if (stateSha256 === null || questionsSha256 === null)
    return 'a digest must be 64 hexadecimal digits'
  if (typeof outcome === 'string') return outcome
  return { line, index, run, id, group, labels, stateSha256, questionsSha256, outcome, p, document }
}

/**
 * The id of a record with its exact text, copied so that it does not keep the whole record in memory. D7, R1
 */
export const writtenId = ({ id, document }: RunRecord): Json | undefined => {
  const written = id === undefined ? undefined : memberIn(document(), 'id')
  return written && copyValue(written)
}

const noLabels: ReadonlyMap<string, Label> = new Map()

const labelsOf = (value: Plain | undefined): ReadonlyMap<string, Label> | string => {
  if (value === undefined) return noLabels
  const object = objectOf(value)
  if (object === undefined) return '"labels" must be an object'
  const labels = new Map<string, Label>()
  for (const id of Object.keys(object)) {
    const label = object[id] as Plain
    if (label === null || label === '') continue
    if (typeof label === 'object') return `labels.${id}: must be true, false, a label or a level`
    labels.set(id, label)
  }
  return labels
}

/** Checks a digest; `null` where it is malformed. */
const digestOf = (value: Plain | undefined): string | undefined | null =>
  value === undefined || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) ? value : null

const failed = (value: Plain): Failed | string => {
  const { kind, status, request_id: requestId, message } = objectOf(value) ?? {}
  return typeof kind !== 'string' || typeof message !== 'string'
    ? '"error" must be an object with "kind" and "message"'
    : {
        error: {
          kind,
          status: typeof status === 'number' ? status : undefined,
          requestId: typeof requestId === 'string' ? requestId : undefined,
          message,
        },
      }
}

const answered = (object: PlainObject, document: () => Json): Answered | string => {
  const given = objectOf(object.answers)
  if (given === undefined) return 'neither "answers" nor "error" is an object'
  const model = object.model
  if (typeof model !== 'string') return '"model" must be a text'
  const answers = new Map<string, RunAnswer>()
  let texts: ReadonlyMap<string, Json> | undefined
  const textsOf = () => {
    // Once for all answers: to look for each in the whole text takes forever where there are very many.
    texts ??= valuesIn(memberIn(document(), 'answers'))
    return texts
  }
  for (const id of namesInOrder(given, () => [...textsOf().keys()])) {
    const names = () => [...valuesIn(valuesIn(textsOf().get(id)).get('probabilities')).keys()]
    const answer = readAnswer(given[id] as Plain, names)
    if ('fault' in answer) return `answers.${id}: ${answer.fault}`
    answers.set(id, answer)
  }
  const usage = objectOf(object.usage)
  const gate = objectOf(object.gate)
  const passed = gate?.passed
  if (gate !== undefined && typeof passed !== 'boolean') return '"gate" must have "passed"'
  return {
    model,
    answers,
    usage: { input: tokens(usage?.input_tokens), output: tokens(usage?.output_tokens) },
    gate: typeof passed === 'boolean' ? { passed } : undefined,
  }
}

const tokens = (value: Plain | undefined): number | null =>
  typeof value === 'number' ? value : null

/** The values of an object by name, in the order of its text; none where it is no object. */
const valuesIn = (json: Json | undefined): ReadonlyMap<string, Json> =>
  json && kindOf(json) === 'object' ? valuesOf(json) : new Map()
