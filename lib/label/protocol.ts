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
  /** The path, if the field is an image. */
  readonly text: string
  /** `json` is an object or an array. The page loads an image from `/images/<index of the step>/<position of the field, from 0>`. */
  readonly format: 'text' | 'json' | 'image'
}

/** The place of a step in the session. Numbers count from 1. A row that is shown twice counts as two rows. */
export interface PagePosition {
  readonly row: number
  readonly rows: number
  /** The number of this question among those that the page asks about the row. */
  readonly question: number
  readonly questions: number
}

/** A row to show, and the question to ask about it. */
export interface PageStep {
  /** The position of this step in the session, from 0. */
  readonly index: number
  readonly position: PagePosition
  /** The position in `OpenedPage.questions`. */
  readonly questionIndex: number
  /** True if the row is shown for the second time. */
  readonly isSecondShowing: boolean
  /** The cell `id` of the row, or `''`. */
  readonly id: string
  readonly fields: ReadonlyArray<PageField>
  /** The answer that an undo has just taken back, or null. */
  readonly undone: UndoneAnswer | null
}

/** An answer that the person has taken back, and may want to give again. */
export interface UndoneAnswer {
  readonly answer: PageAnswer
  readonly note: string
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

/** The counts of the table for one question, at the end of a session. */
export interface QuestionSummary {
  /** The text of the question. */
  readonly question: string
  /** The number of rows with each answer, in the order of the question. */
  readonly answers: ReadonlyArray<{ readonly name: string; readonly count: number }>
  /** Rows whose note says that the person could not tell. */
  readonly cannotTell: number
  /** Rows without a label for another reason. */
  readonly empty: number
}

/** The content of the page when no steps remain. */
export interface SessionEnd {
  readonly counts: ReadonlyArray<QuestionSummary>
  /** Skipped steps, which the page can show again. */
  readonly skipped: number
}

/** The next content of the page. `step` is null if no steps remain, and `end` is null otherwise. */
export interface LabelScreen {
  readonly progress: LabelProgress
  readonly step: PageStep | null
  readonly end: SessionEnd | null
}

/** The response to `POST /api/open`, which the page sends when a tab loads it. */
export interface OpenedPage extends LabelScreen {
  /** The number of the tab. */
  readonly tab: number
  /** True if the tab took over from an earlier one. */
  readonly hasTakenOver: boolean
  /** The path of the table. */
  readonly table: string
  /** A command for the person to run after labelling. */
  readonly nextCommand: string
  readonly questions: ReadonlyArray<PageQuestion>
}

/** The response to `POST /api/check` if the tab may go on. */
export interface CheckedPage {
  readonly isReady: true
}

/** The body of a response with status 409: the server did not do what the page asked. */
export interface RefusalMessage {
  readonly refusal: 'other tab' | 'file changed' | 'not written' | 'bad request'
  readonly message: string
  /** The number of answers in `/answers.csv`: those of this session, and one that could not be written. */
  readonly answers: number
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

/** The body of `POST /api/check`, `POST /api/revisit` and `POST /api/finish`. */
export const TabMessage = t.readonly(t.type({ tab: t.Integer }), 'TabMessage')
export type TabMessage = t.TypeOf<typeof TabMessage>
