/** The JSON messages between the page of `svc label` and its server. The page imports only the types. */
import * as t from 'io-ts'

/** A question as the page shows it. */
export interface PageQuestion {
  readonly id: string
  /** `noul` is a yes/no question. */
  readonly type: 'noul' | 'choice' | 'score'
  readonly text: string
  readonly options: ReadonlyArray<PageOption>
}

/** One of the answers to a question. */
export interface PageOption {
  /** The text for the table: `yes`, `no`, a label, or the index of a level. */
  readonly value: string
  readonly name: string
  /** The description of this answer in the questions file, or `''`. */
  readonly description: string
}

/** A part of a row that the page shows: a cell, or a member of a JSON object in a cell. */
export interface PageField {
  /** `''` if this is the only field of the row. */
  readonly name: string
  readonly text: string
}

/** A row to show, and the question to ask about it. */
export interface PageStep {
  /** The position of this step in the session, from 0. */
  readonly index: number
  readonly question: PageQuestion
  /** True if the row is shown for the second time. */
  readonly isSecondShowing: boolean
  readonly fields: ReadonlyArray<PageField>
}

/** The progress of the person. A row counts once for each question. */
export interface LabelProgress {
  /** Labels in the table, including those from earlier sessions. */
  readonly labelled: number
  /** Empty cells for labels, including skipped ones. */
  readonly left: number
  /** Steps of this session that ended without a label: skipped, or "cannot tell". */
  readonly skipped: number
  /** Completed steps of this session, including those without a label. */
  readonly done: number
  /** All steps of this session. */
  readonly steps: number
  /** `agree` of `n` second labels equal the first one. Null if there are no second labels. */
  readonly again: { readonly n: number; readonly agree: number } | null
}

/** The next content of the page. `step` is null if no steps remain. */
export interface LabelScreen {
  readonly progress: LabelProgress
  readonly step: PageStep | null
}

/** The response to `POST /api/open`, which the page sends when a tab loads it. */
export interface OpenedPage extends LabelScreen {
  /** The number of the tab. */
  readonly tab: number
  /** True if the tab took over from an earlier one. */
  readonly hasTakenOver: boolean
  /** The path of the table. */
  readonly table: string
}

/** The body of a response with status 409: the server did not do what the page asked. */
export interface RefusalMessage {
  readonly refusal: 'other tab' | 'file changed' | 'not written' | 'bad request'
  readonly message: string
}

const PageAnswer = t.readonly(
  t.union([
    t.type({ kind: t.literal('label'), value: t.string }),
    t.type({ kind: t.literal('skip') }),
    t.type({ kind: t.literal('cannot tell') }),
  ]),
  'PageAnswer',
)

/** The answer of a person to a step. */
export type PageAnswer = t.TypeOf<typeof PageAnswer>

/** The body of `POST /api/answer`. */
export const AnswerMessage = t.readonly(
  t.type({ tab: t.Integer, stepIndex: t.Integer, answer: PageAnswer, note: t.string }),
  'AnswerMessage',
)
export type AnswerMessage = t.TypeOf<typeof AnswerMessage>

/** The body of `POST /api/undo`. `done` is the number of completed steps that the page shows. */
export const UndoMessage = t.readonly(t.type({ tab: t.Integer, done: t.Integer }), 'UndoMessage')
export type UndoMessage = t.TypeOf<typeof UndoMessage>

/** The body of `POST /api/finish`. */
export const FinishMessage = t.readonly(t.type({ tab: t.Integer }), 'FinishMessage')
export type FinishMessage = t.TypeOf<typeof FinishMessage>
