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

/** A record of a run, decoded: a row and its outcome. */
export interface RunRecord {
  /** The line in the file, from 1. */
  readonly line: number
  readonly index: number
  readonly run: number | undefined
  readonly id: JsonValue | undefined
  /** Absent if it is null or `""`. */
  readonly group: JsonValue | undefined
  /** The labels by question id, without empty ones. */
  readonly labels: ReadonlyMap<string, Label>
  readonly stateSha256: string | undefined
  /** The images that were asked about; empty without images. */
  readonly images: ReadonlyArray<Pick<RecordImage, 'name' | 'sha256'>>
  readonly questionsSha256: string | undefined
  readonly outcome: Answered | Failed
  /**
   * The probability with which the row was drawn into a sample; above 0, at most 1. Null if no row was drawn by
   * chance, so that nothing can be said of the run from its sample.
   */
  readonly p: number | null | undefined
  /** The judgements of a policy, as they are written. */
  readonly policy: JsonValue | undefined
  /** The whole record. */
  readonly document: JsonValue
}

/** The right answer according to a person: yes or no, a label, or the index of a level. */
export type Label = boolean | string | number

/** Why a text is not a record. */
export interface RecordFault {
  readonly cause: string
  /** Whether the text ends in the middle of its JSON. */
  readonly cut: boolean
}

/**
 * Decodes a record, or a document of `svc ask`, from its text. `line` is its line, for messages, and `position`
 * its index if the text has none. Unknown members are ignored.
 */
export const decodeRecord = (
  bytes: Buffer,
  line: number,
  position: number,
): E.Either<RecordFault, RunRecord> => {
  const parsed = parseJson(bytes)
  if (E.isLeft(parsed)) {
    const { cause, atEnd, line: inside, column } = parsed.left
    const place = `line ${line + inside - 1}, column ${column}`
    return E.left({ cause: `${place}: ${cause}`, cut: atEnd })
  }
  const record = decodeDocument(parsed.right, line, position)
  return E.mapLeft((cause: string) => ({ cause: `line ${line}: ${cause}`, cut: false }))(record)
}

const decodeDocument = (
  document: JsonValue,
  line: number,
  position: number,
): E.Either<string, RunRecord> => {
  if (!isObject(document)) return E.left('a record must be an object')
  const at = (name: string): JsonValue | undefined => document.get(name)
  const index = countIn(at('index'))
  const run = countIn(at('run'))
  const p = chanceIn(at('p'))
  const stateSha256 = digestIn(at('state_sha256'))
  const questionsSha256 = digestIn(at('questions_sha256'))
  if (index === null) return E.left('"index" must be a whole number')
  if (run === null) return E.left('"run" must be a whole number')
  if (p === 'faulty') return E.left('"p" must be above 0 and at most 1')
  if (stateSha256 === null || questionsSha256 === null)
    return E.left('a digest must be 64 hexadecimal digits')
  const labels = decodeLabels(at('labels'))
  if (E.isLeft(labels)) return labels
  const outcome = decodeOutcome(document)
  if (E.isLeft(outcome)) return outcome
  return E.right({
    line,
    index: index ?? position,
    run,
    id: at('id'),
    group: groupIn(at('group')),
    labels: labels.right,
    stateSha256,
    images: imagesIn(at('images')),
    questionsSha256,
    outcome: outcome.right,
    p,
    policy: at('policy'),
    document,
  })
}

/** The images of a record that have a name and a digest. */
const imagesIn = (value: JsonValue | undefined): RunRecord['images'] =>
  itemsIn(value).flatMap((image) => {
    const [name, sha256] = [stringIn(memberIn(image, 'name')), digestIn(memberIn(image, 'sha256'))]
    return name === undefined || !sha256 ? [] : [{ name, sha256 }]
  })

/** A whole number from 0 on; `undefined` for no value, null for another value. */
const countIn = (value: JsonValue | undefined): number | undefined | null => {
  if (value === undefined) return undefined
  const count = numberIn(value) ?? -1
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}

/** The chance of a row to be in its sample, which may be null. */
const chanceIn = (value: JsonValue | undefined): number | null | undefined | 'faulty' => {
  if (value === undefined) return undefined
  if (value === null) return null
  const chance = numberIn(value) ?? 0
  return chance > 0 && chance <= 1 ? chance : 'faulty'
}

/** A digest; `undefined` for no value, null for another value. */
const digestIn = (value: JsonValue | undefined): string | undefined | null =>
  value === undefined || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) ? value : null

const groupIn = (value: JsonValue | undefined): JsonValue | undefined =>
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
      const place = formatLoc(['labels', cutTo(key, maxNameBytes)])
      return E.left(`${place}: must be true, false, a label or a level`)
    } else labels.set(key, label)
  }
  return E.right(labels)
}
