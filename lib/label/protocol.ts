/** The messages between the page of `svc label` and its server, as JSON. */

/** A question as the page shows it. */
export interface PageQuestion {
  readonly id: string
  readonly text: string
  readonly options: ReadonlyArray<PageOption>
}

/** One of the answers to a question. */
export interface PageOption {
  /** The text for the table: `yes`, `no`, a label, or the index of a level. */
  readonly value: string
  readonly name: string
  /** The questions file's description of this answer, or `''`. */
  readonly description: string
}

/** A row and a question, at their place in the order of the page. */
export interface PageStep {
  readonly step: number
  readonly question: string
  /** True if the row is shown for the second time. */
  readonly isAgain: boolean
  readonly fields: ReadonlyArray<{ readonly name: string; readonly text: string }>
}

/** The progress of the person. The numbers count labels: one for each row and question. */
export interface LabelProgress {
  /** The next step to show, or null if all are done. */
  readonly next: number | null
  /** Labels in the table, earlier ones included. */
  readonly labelled: number
  /** Empty cells of labels, skipped ones included. */
  readonly left: number
  /** Cells that were passed over since the start: skipped, or "cannot tell". */
  readonly skipped: number
  /** Steps of this session that are done, and all of them. */
  readonly done: number
  readonly steps: number
  readonly again: Agreement | null
}

/** The number of rows with two labels, and of those with two equal labels. */
export interface Agreement {
  readonly n: number
  readonly agree: number
}

/** The answer of a person at a step. */
export type PageAnswer =
  | { readonly kind: 'label'; readonly value: string }
  | { readonly kind: 'skip' }
  | { readonly kind: 'cannot tell' }

/** The answer to `POST /api/open`, which a page sends when it is loaded. */
export interface Opened {
  /** The number of this page. Only the page that was opened last may write. */
  readonly tab: number
  /** True if this page took over from an earlier one. */
  readonly tookOver: boolean
  readonly table: string
  readonly questions: ReadonlyArray<PageQuestion>
  readonly progress: LabelProgress
}

/** The body of `POST /api/answer`. */
export interface AnswerMessage {
  readonly tab: number
  readonly step: number
  readonly answer: PageAnswer
  readonly note: string
}

/** The answer to `POST /api/undo`: the step whose answer was taken back. */
export interface Undone {
  readonly progress: LabelProgress
  readonly step: number
}

/** The reason why the server did not write: another page took over, the file changed, or it cannot be written now. */
export type RefusalKind = 'other tab' | 'file changed' | 'not written' | 'bad request'

/** The body of a response that is not 2xx. */
export interface RefusalMessage {
  readonly refusal: RefusalKind
  readonly message: string
}
