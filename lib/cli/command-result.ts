import type { Either } from 'fp-ts/Either'
import type { Draft } from '../codec/json/draft'
import type { Failure } from '../failure/failure'

/** A JSON document that svc composes. `--pretty` indents it. */
interface ComposedDocument {
  readonly document: Draft
}

/** A text for people. A terminal wraps its lines. Tables in it fit the terminal already. */
interface Report {
  readonly report: string
}

/** The result of a command that succeeded. */
export interface CommandResult {
  /**
   * Written to stdout with a newline at the end; nothing is written if it is absent. Texts and documents are sanitized
   * and redacted first. Bytes are written unchanged.
   */
  readonly stdout?: string | Uint8Array | ComposedDocument | Report
  /** `true` if a terminal shows stdout in the pager. */
  readonly isPaged?: boolean
  /** Lines for stderr, written after stdout, so that what was decided comes last on a terminal. Each is a text without a newline. */
  readonly messages?: ReadonlyArray<string>
  /** The exit code; 0 if it is absent. */
  readonly exitCode?: number
  readonly hint?: ResultHint | undefined
  /** The reasons for exit code 8: the checks that a result fails. In GitHub Actions each becomes an error annotation. */
  readonly annotations?: ReadonlyArray<string>
}

/** The result of a command, or the failure that ended it. */
export type CommandOutcome = Either<Failure, CommandResult>

/** The subject of a hint: how to resume a run, or that a `--choice` has only one label, which may be a typing error. */
export type ResultHint =
  | {
      readonly about: 'resume'
      /** The number of rows that the output has already. */
      readonly rows: number
      /** The path of the output. */
      readonly output: string
    }
  | {
      readonly about: 'one label'
      readonly label: string
      /** `true` if the label is probably part of the question, so that the hint is shown in CI systems too. */
      readonly isUrgent: boolean
    }
