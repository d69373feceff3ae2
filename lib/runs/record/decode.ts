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
import { cutTo } from '../../failure/text/cut'
import { type Answered, decodeOutcome, type Failed } from './outcome'
import type { RecordImage } from './record'

/** A decoded record of a run: a row and its outcome. */
export interface RunRecord {
  /** The line in the file, from 1. */
  readonly line: number
  readonly index: number
  readonly run: number | undefined
  readonly id: JsonValue | undefined
  /** `undefined` if it is absent, null or `""`. */
  readonly group: JsonValue | undefined
  /** The labels by question id, without empty ones. */
  readonly labels: ReadonlyMap<string, Label>
  readonly stateSha256: string | undefined
  /** The images of the request. */
  readonly images: ReadonlyArray<Pick<RecordImage, 'name' | 'sha256'>>
  readonly questionsSha256: string | undefined
  readonly outcome: Answered | Failed
  /**
   * The probability with which the row was drawn into a sample: above 0, at most 1. Null if the rows were not drawn at random. The
   * sample then says nothing about the whole run.
   */
  readonly p: number | null | undefined
  /** The outcomes of a policy, not decoded. */
  readonly policy: JsonValue | undefined
  /** The whole record. */
  readonly document: JsonValue
}

/** The right answer of a person: yes or no, a label, or the index of a level. */
export type Label = boolean | string | number

/** The reason why a text is not a record. */
export interface RecordFault {
  readonly cause: string
  /** `true` if the text ends in the middle of its JSON. */
  readonly cut: boolean
}

/**
 * Decodes a record of `svc batch`, or a document of `svc ask`. `line` is its line number, for messages. `position` is its index if
 * it has none. Ignores unknown members.
 */
export const decodeRecord = (
  bytes: Buffer,
  line: number,
  position: number,
): E.Either<RecordFault, RunRecord> => {
  const parsed = parseJson(bytes)
  if (E.isLeft(parsed)) {
    const { cause, atEnd, line: lineInText, column } = parsed.left
    const location = `line ${line + lineInText - 1}, column ${column}`
    return E.left({ cause: `${location}: ${cause}`, cut: atEnd })
  }
  const record = decodeDocument(parsed.right, line, position)
  return E.isLeft(record) ? E.left({ cause: `line ${line}: ${record.left}`, cut: false }) : record
}

const decodeDocument = (
  document: JsonValue,
  line: number,
  position: number,
): E.Either<string, RunRecord> => {
  if (!isObject(document)) return E.left('a record must be an object')
  const member = (name: string): JsonValue | undefined => document.get(name)
  const index = parseCount(member('index'))
  const run = parseCount(member('run'))
  const p = parseProbability(member('p'))
  const stateSha256 = parseDigest(member('state_sha256'))
  const questionsSha256 = parseDigest(member('questions_sha256'))
  if (index === null) return E.left('"index" must be a whole number')
  if (run === null) return E.left('"run" must be a whole number')
  if (p === 'invalid') return E.left('"p" must be above 0 and at most 1')
  if (stateSha256 === null || questionsSha256 === null)
    return E.left('a digest must be 64 hexadecimal digits')
  const labels = decodeLabels(member('labels'))
  if (E.isLeft(labels)) return labels
  const outcome = decodeOutcome(document)
  if (E.isLeft(outcome)) return outcome
  return E.right({
    line,
    index: index ?? position,
    run,
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

/** Decodes images. Ignores those without a name or digest. */
const decodeImages = (value: JsonValue | undefined): RunRecord['images'] =>
  itemsIn(value).flatMap((image) => {
    const name = stringIn(memberIn(image, 'name'))
    const sha256 = parseDigest(memberIn(image, 'sha256'))
    return name === undefined || !sha256 ? [] : [{ name, sha256 }]
  })

/** Returns a whole number that is not negative; `undefined` if the value is absent, null if it is invalid. */
const parseCount = (value: JsonValue | undefined): number | undefined | null => {
  if (value === undefined) return undefined
  const count = numberIn(value) ?? -1
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}

/** Returns a probability above 0, or null; `undefined` if the value is absent. */
const parseProbability = (value: JsonValue | undefined): number | null | undefined | 'invalid' => {
  if (value === undefined) return undefined
  if (value === null) return null
  const probability = numberIn(value) ?? 0
  return probability > 0 && probability <= 1 ? probability : 'invalid'
}

/** Returns a digest; `undefined` if the value is absent, null if it is invalid. */
const parseDigest = (value: JsonValue | undefined): string | undefined | null =>
  value === undefined || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) ? value : null

const parseGroup = (value: JsonValue | undefined): JsonValue | undefined =>
  value === null || value === '' ? undefined : value

const noLabels: ReadonlyMap<string, Label> = new Map()

const decodeLabels = (
  value: JsonValue | undefined,
): E.Either<string, ReadonlyMap<string, Label>> => {
  if (value === undefined) return E.right(noLabels)
  if (!isObject(value)) return E.left('"labels" must be an object')
  const labels = new Map<string, Label>()
  for (const [key, label] of value) {
    if (label === null || label === '') continue
    if (label instanceof Literal) labels.set(key, numberOf(label))
    else if (typeof label === 'object') {
      const location = formatLoc(['labels', cutTo(key, maxNameBytes)])
      return E.left(`${location}: must be true, false, a label or a level`)
    } else labels.set(key, label)
  }
  return E.right(labels)
}
