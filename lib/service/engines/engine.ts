import type * as TE from 'fp-ts/TaskEither'
import type { Question } from '../../codec/question'
import type { Json } from '../../json/json'
import type { Span } from '../../runtime/trace'

/**
 * A checked question. Content values are texts, objects or arrays. A choice has at least one label and
 * a score two levels, so their criteria are always there. Questions of a type outside the three
 * (`other`) reach only an engine that supports them.
 */
export type EngineQuestion =
  | Of<'noul'>
  | WithCriteria<'choice'>
  | WithCriteria<'score'>
  | Of<'other'>

type Of<T extends Question['type']> = Extract<Question, { readonly type: T }>
type WithCriteria<T extends 'choice' | 'score'> = Of<T> & Required<Pick<Of<T>, 'criteria'>>

/** A checked request: every question is within the limits and has a type the engine supports. */
export interface EngineRequest {
  readonly state: Json
  readonly questions: ReadonlyArray<readonly [id: string, question: EngineQuestion]>
}

/** What one request brings along. */
export interface EngineContext {
  /** Aborted when the caller has gone, the request's time is up, or the service ends. */
  readonly signal: AbortSignal
  /** The request's server span; parent of an engine's own calls. */
  readonly span: Span
  /** The request's id, for logs. */
  readonly requestId: string
  /** Writes one line to the service's log; never state, questions, answers or keys. */
  readonly log: (event: string, fields?: Readonly<Record<string, string | number>>) => void
}

/** The answer to one question, unrounded. The service derives the rest (D41). */
export type Distribution =
  /** `yes` is P(yes). */
  | { readonly type: 'noul'; readonly yes: number }
  /** `probabilities` by index of label or level; non-negative, sums to 1. */
  | { readonly type: 'choice' | 'score'; readonly probabilities: ReadonlyArray<number> }

/** What the service turns into a response document. */
export interface EngineAnswer {
  /** The concrete model, such as `svc-lexical-1`. */
  readonly model: string
  /** One per question, in the request's order. */
  readonly answers: ReadonlyArray<Distribution>
  /** `null` where the engine counts nothing. */
  readonly usage: { readonly input_tokens: number | null; readonly output_tokens: number | null }
}

/** Why an engine has no answer. `message` goes to the caller: no key, no stack trace. D37 */
export type EngineFailure =
  /** The engine failed or answered what cannot be used: 502. */
  | { readonly _tag: 'BadAnswer'; readonly message: string }
  /** The engine refused the service's own key: 502. */
  | { readonly _tag: 'KeyRefused'; readonly message: string }
  /** The engine took too long: 504. */
  | { readonly _tag: 'TimedOut'; readonly message: string }
  /** The engine has no room: 529. `retryAfterMs` is what it asked for. */
  | { readonly _tag: 'Overloaded'; readonly message: string; readonly retryAfterMs?: number }
  /** A question this engine cannot answer: 400. */
  | { readonly _tag: 'Unsupported'; readonly message: string }

/** The engine failed, or its answer is of no use. D37 */
export const badAnswer = (message: string): EngineFailure => ({ _tag: 'BadAnswer', message })
/** The engine refused the service's own key, which is no fault of the caller's. D37, D38 */
export const keyRefused = (message: string): EngineFailure => ({ _tag: 'KeyRefused', message })
/** The engine took too long. D37 */
export const timedOut = (message: string): EngineFailure => ({ _tag: 'TimedOut', message })
/** The engine has no room; `retryAfterMs` is the wait it asked for. D37 */
export const overloaded = (message: string, retryAfterMs?: number): EngineFailure =>
  retryAfterMs === undefined
    ? { _tag: 'Overloaded', message }
    : { _tag: 'Overloaded', message, retryAfterMs }
/** A question that the engine cannot answer. D37 */
export const unsupported = (message: string): EngineFailure => ({ _tag: 'Unsupported', message })

/** An entry of `GET /v1/models`; further fields are listed too. D2 */
export interface ModelEntry {
  readonly name: string
  readonly description: string
  /** RFC 3339. */
  readonly release_date: string
  readonly [field: string]: string | number | boolean | null
}

/** What every engine has. */
interface EngineBase {
  /** For logs and metrics: `lexical`, `openai`, `upstream`, `replay`. */
  readonly name: string
  /** Run once before the service listens; a failure keeps it from starting. */
  readonly probe?: () => TE.TaskEither<EngineFailure, void>
  readonly close: () => Promise<void>
}

/** Answers the questions; the service checks the request before and builds the response after. D39 */
export interface AnsweringEngine extends EngineBase {
  readonly kind: 'answering'
  /** The engine's own models, the one `svc-latest` stands for first. */
  readonly models: ReadonlyArray<ModelEntry>
  /** Whether a question of this `type` can be answered. */
  readonly supports: (questionType: string) => boolean
  /** Answers every question, or fails as a whole. `model` is the name of an entry of `models`. */
  readonly answer: (
    request: EngineRequest,
    model: string,
    context: EngineContext,
  ) => TE.TaskEither<EngineFailure, EngineAnswer>
}

/** A request that is handed on unchecked. */
export interface Passing {
  /** `POST /v1/questions` (both dialects) or `GET /v1/models`. */
  readonly operation: 'ask' | 'models'
  /** The document as it came; empty for `models`. */
  readonly body: Uint8Array
}

/** A response that goes out as it is. */
export interface Passed {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
}

/** Hands requests on and passes whole responses back (`upstream`, `replay`). D39 */
export interface PassingEngine extends EngineBase {
  readonly kind: 'passing'
  readonly pass: (request: Passing, context: EngineContext) => TE.TaskEither<EngineFailure, Passed>
}

/** What `svc serve` answers with. D39 */
export type Engine = AnsweringEngine | PassingEngine
