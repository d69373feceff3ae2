import { type AskResponse, encodeResponse } from '../codec/response'
import { type Draft, Entries, encode, print } from '../json/draft'
import { Json } from '../json/json'

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

/** A record as its line, newline included. Values of the row keep their text (D7). R1 */
export const encodeRecord = (head: Head, came: Came): Buffer =>
  Buffer.concat([encode({ ...headOf(head), ...tailOf(came) }), newline])

const newline = Buffer.from('\n')

const headOf = (head: Head): Members => ({
  index: head.index,
  run: head.run,
  id: head.id,
  group: head.group,
  labels: head.labels && new Entries(head.labels),
  state: head.state,
  state_sha256: head.stateSha256,
  questions_sha256: head.questionsSha256,
})

const tailOf = (came: Came): Members => {
  if ('error' in came) return { error: came.error }
  const { gate, policy } = came
  return { ...compact(encodeResponse(came.response)), gate, policy }
}

/** Members by names fixed in the program; an `undefined` one is left out. */
type Members = Readonly<Record<string, Draft | undefined>>

/** The members spaced as `svc ask` prints them. */
const compact = (document: Members): Members =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      value === undefined ? value : spaced(value),
    ]),
  )

const spaced = (value: Draft): Json => {
  const bytes = print(value, false)
  return new Json(bytes, 0, bytes.length)
}
