import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { stringIn } from '../../codec/json/json'
import { type AskResponse, decodeResponse } from '../../codec/response'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import { decodeRecord, type RunRecord } from '../record/decode'
import { isBlank, splitLines } from '../record/lines'
import { isAnswered } from '../record/outcome'
import { maxRecord } from '../record/read'
import { type Item, type Plan, stateOf } from './ask-row'

/** The answers of earlier runs. R31 */
export interface Reuse {
  /** Whether an earlier run has answered the item. */
  readonly has: (item: Item) => boolean
  /**
   * The answer of an earlier run; `undefined` where none has one, or where its file has changed since it was
   * indexed.
   */
  readonly find: (item: Item) => Promise<AskResponse | undefined>
}

/**
 * Reads runs, and indexes their answers to the questions of this run by the state that was asked about. Of several
 * answers to the same the first counts. The index holds places and no texts. Fails with a usage error that names
 * the line of what cannot be read, or as interrupted. R31
 */
export const indexRuns =
  (
    paths: ReadonlyArray<string>,
    asked: AskedAlike,
    files: Pick<Files, 'chunks' | 'readPart'>,
    signal: AbortSignal,
  ): TE.TaskEither<Failure, Reuse> =>
  async () => {
    /** Where the records begin, in bytes from the start of their file. */
    const places = new Map<string, { path: string; start: number; length: number }>()
    for (const path of paths) {
      const fail = (why: string) => E.left(usage(`read run: ${path}: ${why}`))
      let count = 0
      try {
        for await (const lines of splitLines(files.chunks(path, signal), maxRecord))
          for (const { bytes, number, ended, next, tooLong } of lines) {
            if (signal.aborted) return E.left(interrupted)
            if (tooLong) return fail(`line ${number}: exceeds 128 MiB`)
            if (isBlank(bytes)) continue
            const record = decodeRecord(bytes, number, count)
            if (E.isLeft(record)) return fail(record.left.cause)
            count += 1
            const key = keyOfRecord(record.right, asked)
            const start = next - bytes.length - (ended ? 1 : 0)
            if (key !== undefined && !places.has(key))
              places.set(key, { path, start, length: bytes.length })
          }
      } catch (error) {
        return signal.aborted ? E.left(interrupted) : fail(reasonOf(error))
      }
    }
    return E.right(
      createReuse(places, ({ path, start, length }) =>
        files.readPart(path, start, length).catch(() => new Uint8Array()),
      ),
    )
  }

/** What decides whether answers of an earlier run are to the same questions. */
type AskedAlike = Pick<Plan, 'questionsSha256' | 'permuted'>

/** Finds answers by the keys of their records. `read` reads the record at a place. R31 */
export const createReuse = <P>(
  places: ReadonlyMap<string, P>,
  read: (place: P) => Promise<Uint8Array>,
): Reuse => {
  const placeOf = (item: Item): P | undefined =>
    item.stateSha256 === undefined || E.isLeft(stateOf(item))
      ? undefined
      : places.get(keyOf(item.stateSha256, item.run))
  return {
    has: (item) => placeOf(item) !== undefined,
    find: async (item) => {
      const place = placeOf(item)
      if (place === undefined) return undefined
      const bytes = await read(place)
      const record = decodeRecord(Buffer.from(bytes), 0, 0)
      if (E.isLeft(record) || stringIn(record.right.stateSha256) !== item.stateSha256)
        return undefined
      const response = decodeResponse(bytes, '')
      return E.isRight(response) ? response.right : undefined
    },
  }
}

/** The key of a record whose answers may be used again; `undefined` where they are none to these questions. R31 */
export const keyOfRecord = (
  { stateSha256: state, questionsSha256, run, outcome }: RunRecord,
  asked: AskedAlike,
): string | undefined => {
  const stateSha256 = stringIn(state)
  return stateSha256 !== undefined &&
    stringIn(questionsSha256) === asked.questionsSha256 &&
    isAnswered(outcome) &&
    asked.permuted.isAskedAlike(outcome.answers)
    ? keyOf(stateSha256, run)
    : undefined
}

/**
 * The key of a state, in half the characters of its digest, and of a repetition. An answer of a run without
 * `--repeat` is that of the first. R13
 */
const keyOf = (stateSha256: string, run = 0): string =>
  `${Buffer.from(stateSha256, 'hex').toString('latin1')}${run}`
