import * as E from 'fp-ts/Either'
import { stringIn } from '../json/field'
import { type Json, kindOf, numberOf, stringOf, textOf } from '../json/json'
import { parseJson } from '../json/parse'
import { type RunAnswer, readAnswer } from './answer'
import { countIn, fieldsOf, numberIn } from './fields'

/** A record of a run, decoded: a row that was asked and what came of it. R1 */
export interface RunRecord {
  /** The line in the file, from 1. */
  readonly line: number
  readonly index: number
  readonly run: number | undefined
  /** With its exact text, as part of `document`. D7 */
  readonly id: Json | undefined
  readonly group: Json | undefined
  /** The labels by question id, without empty ones. R2 */
  readonly labels: ReadonlyMap<string, Label>
  readonly stateSha256: string | undefined
  readonly questionsSha256: string | undefined
  readonly outcome: Answered | Failed
  /** The probability with which the row was drawn into a sample; above 0, at most 1. R25 */
  readonly p: number | undefined
  /** The record as JSON that keeps its exact text (D7). A part that is kept must be copied, or it keeps all of it. */
  readonly document: Json
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
  const parsed = parseJson(bytes)
  if (E.isLeft(parsed)) {
    const { cause, offset, line: inside, column } = parsed.left
    const place = `line ${line + inside - 1}, column ${column}`
    return E.left({ cause: `${place}: ${cause}`, cut: offset >= bytes.length })
  }
  const record = recordOf(parsed.right, line, position)
  return typeof record === 'string'
    ? E.left({ cause: `line ${line}: ${record}`, cut: false })
    : E.right(record)
}

/** Returns the record, or what is wrong with it. */
const recordOf = (document: Json, line: number, position: number): RunRecord | string => {
  const fields = fieldsOf(document)
  if (fields === undefined) return 'a record must be an object'
  const index = fields.has('index') ? countIn(fields.get('index')) : position
  const run = countIn(fields.get('run'))
  const p = numberIn(fields.get('p'))
  if (index === undefined) return '"index" must be a whole number'
  if (fields.has('run') && run === undefined) return '"run" must be a whole number'
  if (fields.has('p') && !(p !== undefined && p > 0 && p <= 1))
    return '"p" must be above 0 and at most 1'
  const labels = labelsOf(fields.get('labels'))
  if (typeof labels === 'string') return labels
  const stateSha256 = digestOf(fields.get('state_sha256'))
  const questionsSha256 = digestOf(fields.get('questions_sha256'))
  if (stateSha256 === null || questionsSha256 === null)
    return 'a digest must be 64 hexadecimal digits'
  const error = fields.get('error')
  const outcome = error === undefined ? answered(fields) : failed(error)
  if (typeof outcome === 'string') return outcome
  const [id, group] = [fields.get('id'), fields.get('group')]
  return { line, index, run, id, group, labels, stateSha256, questionsSha256, outcome, p, document }
}

const noLabels: ReadonlyMap<string, Label> = new Map()

const labelsOf = (value: Json | undefined): ReadonlyMap<string, Label> | string => {
  if (value === undefined) return noLabels
  const fields = fieldsOf(value)
  if (fields === undefined) return '"labels" must be an object'
  const labels = new Map<string, Label>()
  for (const [id, label] of fields) {
    const read = labelOf(label)
    if (read === undefined) return `labels.${id}: must be true, false, a label or a level`
    if (read !== '') labels.set(id, read)
  }
  return labels
}

/** Reads a label: `''` where there is none, `undefined` for an object or an array. */
const labelOf = (value: Json): Label | undefined => {
  switch (kindOf(value)) {
    case 'null':
      return ''
    case 'boolean':
      return textOf(value) === 'true'
    case 'string':
      return stringOf(value)
    case 'number':
      return numberOf(value)
    case 'object':
    case 'array':
      return undefined
  }
}

/** Reads a digest; `null` where it is malformed. */
const digestOf = (value: Json | undefined): string | undefined | null => {
  if (value === undefined) return undefined
  const text = stringIn(value) ?? ''
  return /^[0-9a-f]{64}$/.test(text) ? text : null
}

const failed = (value: Json): Failed | string => {
  const error = fieldsOf(value)
  const kind = stringIn(error?.get('kind'))
  const message = stringIn(error?.get('message'))
  if (kind === undefined || message === undefined)
    return '"error" must be an object with "kind" and "message"'
  const status = numberIn(error?.get('status'))
  return { error: { kind, status, requestId: stringIn(error?.get('request_id')), message } }
}

const answered = (fields: ReadonlyMap<string, Json>): Answered | string => {
  const given = fieldsOf(fields.get('answers'))
  const model = stringIn(fields.get('model'))
  if (given === undefined) return 'neither "answers" nor "error" is an object'
  if (model === undefined) return '"model" must be a text'
  const answers = new Map<string, RunAnswer>()
  for (const [id, value] of given) {
    const answer = readAnswer(value)
    if ('fault' in answer) return `answers.${id}: ${answer.fault}`
    answers.set(id, answer)
  }
  const usage = fieldsOf(fields.get('usage'))
  const gate = fieldsOf(fields.get('gate'))
  const passed = gate?.get('passed')
  if (gate !== undefined && (passed === undefined || kindOf(passed) !== 'boolean'))
    return '"gate" must have "passed"'
  return {
    model,
    answers,
    usage: {
      input: numberIn(usage?.get('input_tokens')) ?? null,
      output: numberIn(usage?.get('output_tokens')) ?? null,
    },
    gate: passed && { passed: textOf(passed) === 'true' },
  }
}
