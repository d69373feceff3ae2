import * as E from 'fp-ts/Either'
import { formatLoc, maxNameBytes } from '../../codec/fault'
import {
  isObject,
  itemsIn,
  type JsonValue,
  Literal,
  memberIn,
  numberIn,
  numberOf,
  stringIn,
} from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { cutWithEllipsis } from '../../text/sanitize'
import { type Answered, decodeOutcome, type Failed } from './outcome'
import type { PackPlace, RecordImage } from './record'

/** A decoded record of a run: a row and its outcome. */
export interface RunRecord {
  /** The line in the file, from 1. */
  readonly line: number
  /** The position of the row in the input of the run, from 0. */
  readonly index: number
  /** The time of the answer in milliseconds since 1970. `undefined` if the record has none, or none that is a time. */
  readonly timeMs: number | undefined
  /** The number of the repetition with `--repeat`, from 0. */
  readonly repetition: number | undefined
  readonly id: JsonValue | undefined
  /** `undefined` if it is absent, null or `""`. */
  readonly group: JsonValue | undefined
  /** The labels by question id, without empty ones. */
  readonly labels: ReadonlyMap<string, Label>
  readonly stateSha256: string | undefined
  /** The images of the request; empty if there were none. */
  readonly images: ReadonlyArray<Pick<RecordImage, 'name' | 'sha256'>>
  readonly questionsSha256: string | undefined
  readonly outcome: Answered | Failed
  /**
   * The probability with which the row was drawn into a sample: above 0, at most 1. Null if the rows were not drawn at random, so
   * the sample says nothing about the whole run. `undefined` if the record has no such member.
   */
  readonly p: number | null | undefined
  /** The member `policy` with the outcomes of a policy, not decoded. */
  readonly policy: JsonValue | undefined
  /** The whole record. */
  readonly document: JsonValue
}

/** The correct answer, given by a person: yes or no, a label, or the index of a level. */
export type Label = boolean | string | number

/** The reason why a text is not a record. */
export interface RecordFault {
  /** The message, with the line number. */
  readonly cause: string
  /** `true` if the JSON text ends too early, and only more text could complete it. */
  readonly isIncomplete: boolean
}

/**
 * Decodes a record of `svc batch`, or a document of `svc ask`. `line` is its line number, for messages. `position` becomes the index of
 * a record without an index. The defaults are the line and the position of the first record of a run. Ignores unknown members.
 */
export const decodeRecord = (
  bytes: Buffer,
  line = 1,
  position = 0,
): E.Either<RecordFault, RunRecord> => {
  const parsed = parseJson(bytes)
  if (E.isLeft(parsed)) {
    const { cause, isIncomplete, line: lineInRecord, column } = parsed.left
    // A document may span several lines, and both numbers begin at 1.
    const location = `line ${line + lineInRecord - 1}, column ${column}`
    return E.left({ cause: `${location}: ${cause}`, isIncomplete })
  }
  const record = decodeDocument(parsed.right, line, position)
  return E.isLeft(record)
    ? E.left({ cause: `line ${line}: ${record.left}`, isIncomplete: false })
    : record
}

/** The result of parsing a member that has an invalid value. */
const invalid = Symbol('invalid')

/** The result of parsing a member; `undefined` if the record lacks the member. */
type Parsed<A> = A | undefined | typeof invalid

const decodeDocument = (
  document: JsonValue,
  line: number,
  position: number,
): E.Either<string, RunRecord> => {
  if (Array.isArray(document))
    return E.left(
      "a record must be an object, not an array: jq -c '.[]' writes its elements as lines",
    )
  if (!isObject(document)) return E.left('a record must be an object')
  const member = (name: string): JsonValue | undefined => document.get(name)
  const index = parseCount(member('index'))
  const repetition = parseCount(member('run'))
  const p = parseProbability(member('p'))
  const stateSha256 = parseDigest(member('state_sha256'))
  const questionsSha256 = parseDigest(member('questions_sha256'))
  if (index === invalid) return E.left('"index" must be a whole number')
  if (repetition === invalid) return E.left('"run" must be a whole number')
  if (p === invalid) return E.left('"p" must be above 0 and at most 1')
  if (stateSha256 === invalid || questionsSha256 === invalid)
    return E.left('a digest must be 64 hexadecimal digits')
  const labels = decodeLabels(member('labels'))
  if (E.isLeft(labels)) return labels
  const outcome = decodeOutcome(document)
  if (E.isLeft(outcome)) return outcome
  return E.right({
    line,
    index: index ?? position,
    timeMs: parseTime(member('time')),
    repetition,
    id: member('id'),
    group: parseGroup(member('group')),
    labels: labels.right,
    stateSha256,
    images: decodeImages(member('images')),
    questionsSha256,
    outcome: outcome.right,
    p,
    policy: member('policy'),
    document,
  })
}

/** Decodes images. Ignores those without a name or a valid digest. */
const decodeImages = (value: JsonValue | undefined): RunRecord['images'] =>
  itemsIn(value).flatMap((image) => {
    const name = stringIn(memberIn(image, 'name'))
    const sha256 = parseDigest(memberIn(image, 'sha256'))
    return name === undefined || typeof sha256 !== 'string' ? [] : [{ name, sha256 }]
  })

/** Parses a whole number that is not negative. */
const parseCount = (value: JsonValue | undefined): Parsed<number> => {
  if (value === undefined) return undefined
  const count = numberIn(value)
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : invalid
}

/** Decodes the place of a record's row among the rows of its request; `undefined` if it was asked alone, or if the place is invalid. */
export const decodePackPlace = ({ document }: RunRecord): PackPlace | undefined => {
  const pack = memberIn(document, 'pack')
  const rows = parseCount(memberIn(pack, 'rows'))
  const position = parseCount(memberIn(pack, 'position'))
  return typeof rows === 'number' && typeof position === 'number' ? { rows, position } : undefined
}

/** Parses a probability above 0, or null. */
const parseProbability = (value: JsonValue | undefined): Parsed<number | null> => {
  if (value === undefined) return undefined
  if (value === null) return null
  const probability = numberIn(value)
  return probability !== undefined && probability > 0 && probability <= 1 ? probability : invalid
}

/** Parses a time as in RFC 3339. */
const parseTime = (value: JsonValue | undefined): number | undefined => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

/** Parses a digest: 64 hexadecimal digits. */
const parseDigest = (value: JsonValue | undefined): Parsed<string> => {
  if (value === undefined) return undefined
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value : invalid
}

/** Returns the group; `undefined` if it is absent, null or `""`. */
const parseGroup = (value: JsonValue | undefined): JsonValue | undefined =>
  value === null || value === '' ? undefined : value

const noLabels: ReadonlyMap<string, Label> = new Map()

/** Decodes the labels, without empty ones. Fails if a label is an object or an array. */
const decodeLabels = (
  value: JsonValue | undefined,
): E.Either<string, ReadonlyMap<string, Label>> => {
  if (value === undefined) return E.right(noLabels)
  if (!isObject(value)) return E.left('"labels" must be an object')
  const labels = new Map<string, Label>()
  for (const [id, label] of value) {
    if (label === null || label === '') continue
    // A JSON number is a `Literal`.
    if (label instanceof Literal) {
      labels.set(id, numberOf(label))
    } else if (typeof label === 'object') {
      const location = formatLoc(['labels', cutWithEllipsis(id, maxNameBytes)])
      return E.left(`${location}: must be true, false, a label or a level`)
    } else {
      labels.set(id, label)
    }
  }
  return E.right(labels)
}
