import * as E from 'fp-ts/Either'
import { formatLoc, longestName } from '../../codec/fault'
import {
  copyValue,
  isText,
  type Json,
  kindOf,
  MemberCursor,
  numberOf,
  stringOf,
  textOf,
  valuesOf,
} from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { cutTo } from '../../failure/text/cut'
import { type Answered, decodeOutcome, type Failed } from './outcome'

/** A record of a run, decoded: a row that was asked and what came of it. R1 */
export interface RunRecord {
  /** The line in the file, from 1. */
  readonly line: number
  readonly index: number
  readonly run: number | undefined
  /** The id with its exact text (D7). It holds the whole record in memory, so keep a copy (`copyId`). */
  readonly id: Json | undefined
  /** The group with its exact text, which holds the record too. A group of null or `""` is none. R1 */
  readonly group: Json | undefined
  /** The labels by question id, without empty ones. R2 */
  readonly labels: ReadonlyMap<string, Label>
  /** The digests, which are read as texts only where they are needed: `stringIn` reads them. */
  readonly stateSha256: Json | undefined
  readonly questionsSha256: Json | undefined
  readonly outcome: Answered | Failed
  /**
   * The probability with which the row was drawn into a sample; above 0, at most 1. Null where no row was drawn by
   * chance, so that nothing can be said of the run from its sample. R25
   */
  readonly p: number | null | undefined
  /** The judgements of a policy, as they are written. R23 */
  readonly policy: Json | undefined
  /** The whole record, with its exact text. D7 */
  readonly document: Json
}

/** The right answer according to a person: yes or no, a label, or the index of a level. R2 */
export type Label = boolean | string | number

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
  const record = decodeDocument(parsed.right, line, position)
  return E.mapLeft((cause: string) => ({ cause: `line ${line}: ${cause}`, cut: false }))(record)
}

const decodeDocument = (
  document: Json,
  line: number,
  position: number,
): E.Either<string, RunRecord> => {
  if (kindOf(document) !== 'object') return E.left('a record must be an object')
  const members = readMembers(document)
  const index = countIn(members.index)
  const run = countIn(members.run)
  const p = chanceIn(members.p)
  const stateSha256 = digestIn(members.state_sha256)
  const questionsSha256 = digestIn(members.questions_sha256)
  if (index === null) return E.left('"index" must be a whole number')
  if (run === null) return E.left('"run" must be a whole number')
  if (p === 'faulty') return E.left('"p" must be above 0 and at most 1')
  if (stateSha256 === null || questionsSha256 === null)
    return E.left('a digest must be 64 hexadecimal digits')
  const labels = decodeLabels(members.labels)
  if (E.isLeft(labels)) return labels
  const outcome = decodeOutcome(document, members)
  if (E.isLeft(outcome)) return outcome
  return E.right({
    line,
    index: index ?? position,
    run,
    id: members.id,
    group: groupIn(members.group),
    labels: labels.right,
    stateSha256,
    questionsSha256,
    outcome: outcome.right,
    p,
    policy: members.policy,
    document,
  })
}

/** The id of a record, copied so that it does not keep the whole record in memory. D7, R1 */
export const copyId = ({ id }: RunRecord): Json | undefined => id && copyValue(id)

/** A whole number from 0 on; `undefined` for no value, null for another value. */
const countIn = (value: Json | undefined): number | undefined | null => {
  if (value === undefined) return undefined
  const count = kindOf(value) === 'number' ? numberOf(value) : -1
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}

/** The chance of a row to be in its sample, which may be null. R25 */
const chanceIn = (value: Json | undefined): number | null | undefined | 'faulty' => {
  if (value === undefined) return undefined
  if (kindOf(value) === 'null') return null
  const chance = kindOf(value) === 'number' ? numberOf(value) : 0
  return chance > 0 && chance <= 1 ? chance : 'faulty'
}

/** A digest; `undefined` for no value, null for another value. */
const digestIn = (value: Json | undefined): Json | undefined | null =>
  value === undefined || isDigest(value) ? value : null

const isDigest = ({ bytes, start, end }: Json): boolean => {
  if (end - start !== 66 || bytes[start] !== 0x22) return false
  for (let at = start + 1; at < end - 1; at++) if (!isHex(bytes[at] as number)) return false
  return true
}

const isHex = (byte: number): boolean =>
  byte <= 0x39 ? byte >= 0x30 : byte >= 0x61 && byte <= 0x66

const groupIn = (value: Json | undefined): Json | undefined =>
  value === undefined || kindOf(value) === 'null' || isText(value, '') ? undefined : value

const noLabels: ReadonlyMap<string, Label> = new Map()

const decodeLabels = (value: Json | undefined): E.Either<string, ReadonlyMap<string, Label>> => {
  if (value === undefined) return E.right(noLabels)
  if (kindOf(value) !== 'object') return E.left('"labels" must be an object')
  const labels = new Map<string, Label>()
  for (const [key, label] of valuesOf(value)) {
    switch (kindOf(label)) {
      case 'boolean':
        labels.set(key, textOf(label) === 'true')
        break
      case 'number':
        labels.set(key, numberOf(label))
        break
      case 'string':
        if (!isText(label, '')) labels.set(key, stringOf(label))
        break
      case 'null':
        break
      default: {
        const place = formatLoc(['labels', cutTo(key, longestName)])
        return E.left(`${place}: must be true, false, a label or a level`)
      }
    }
  }
  return E.right(labels)
}

/** The members of a record that are read. R1 */
const names = [
  ...(['index', 'run', 'id', 'group', 'labels', 'p', 'state_sha256', 'questions_sha256'] as const),
  ...(['error', 'model', 'answers', 'usage', 'gate', 'policy'] as const),
]

type Members = { [N in (typeof names)[number]]?: Json }

const readMembers = (record: Json): Members => {
  const members: Members = {}
  const member = new MemberCursor(record)
  while (member.next()) {
    const at = member.findName(names)
    if (at >= 0) members[names[at] as keyof Members] = member.value
  }
  return members
}
