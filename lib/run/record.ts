import { type AskResponse, encodeResponse } from '../codec/response'
import { type Draft, Entries, encode, print } from '../json/draft'
import type { Json } from '../json/json'

/** What a record says of its row, whatever came of it. R1 */
export interface Head {
  /** The row's place in the input, from 0. */
  readonly index: number
  /** Which of several times the row is asked, from 0. R13 */
  readonly run?: number
  readonly id?: Json
  readonly group?: Json
  /** By question id; what a person says is right. R2 */
  readonly labels?: ReadonlyArray<readonly [question: string, label: Json]>
  /** Only where the run keeps states. */
  readonly state?: Json
  /** Of a row whose state could be read. */
  readonly stateSha256?: string
  readonly questionsSha256: string
}

/** What came of a row: an answer, or the `error` of the envelope. */
export type Came =
  | { readonly response: AskResponse; readonly gate?: Draft; readonly policy?: Draft }
  | { readonly error: Draft }

/** A record as its line, newline included. Values of the row keep their text; answers are spaced as `svc ask` prints them. D7, R1 */
export const encodeRecord = (head: Head, came: Came): Buffer => {
  const [row, outcome] = [encode(headOf(head)), print(tailOf(came), false)]
  return Buffer.concat([row.subarray(0, -1), comma, outcome.subarray(1), newline])
}

const comma = Buffer.from(',')
const newline = Buffer.from('\n')

const headOf = (head: Head): Draft => ({
  index: head.index,
  run: head.run,
  id: head.id,
  group: head.group,
  labels: head.labels && new Entries(head.labels),
  state: head.state,
  state_sha256: head.stateSha256,
  questions_sha256: head.questionsSha256,
})

const tailOf = (came: Came): Draft => {
  if ('error' in came) return { error: came.error }
  const { gate, policy } = came
  return { ...encodeResponse(came.response), gate, policy }
}
