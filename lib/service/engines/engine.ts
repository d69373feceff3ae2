import type { ServerResponse } from 'node:http'
import type * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Question } from '../../codec/question'
import type { Json } from '../../json/json'
import type { Span } from '../../runtime/trace'
import type { Problem } from '../problem'

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

/** What an engine gets with each request besides the request itself. */
export interface EngineContext {
  /** Aborted when the caller goes away, the time for an answer is up, or the service ends. */
  readonly signal: AbortSignal
  /** The span of the request: the parent of the spans of calls that the engine makes. */
  readonly span: Span
  /** Whose request it is: those of one holder wait behind those of others. */
  readonly holder?: string | undefined
}

/** What an engine says about one question, unrounded. The service derives the answer's fields from it. D41 */
export type Distribution =
  /** `yes` is the probability of yes. */
  | { readonly type: 'noul'; readonly yes: number }
  /** One probability for each label or level, in the question's order. They sum to 1. */
  | { readonly type: 'choice' | 'score'; readonly probabilities: ReadonlyArray<number> }

/** An engine's answer to a whole request. */
export interface EngineAnswer {
  /** The name of the model that answered, such as `svc-lexical-1`. */
  readonly model: string
  /** One for each question, in the request's order. */
  readonly answers: ReadonlyArray<Distribution>
  /** Tokens; `null` where the engine does not count them. */
  readonly usage: { readonly input_tokens: number | null; readonly output_tokens: number | null }
}

/** Why an engine has no answer. D37 */
export type EngineFailure = (
  | Told<'BadAnswer'>
  | Told<'KeyRefused'>
  | Told<'TimedOut'>
  /** `retryAfterMs` is the wait that the engine asked for, in milliseconds. */
  | (Told<'Overloaded'> & { readonly retryAfterMs?: number })
  | Told<'Unsupported'>
  | Told<'TooLong'>
) & {
  /** What the operator's log says instead of `message`, such as the engine's host. It holds no key. D76 */
  readonly cause?: string
}

interface Told<Tag> {
  readonly _tag: Tag
  /** What the caller sees: no key, no host and no stack trace. */
  readonly message: string
}

/** 502: the engine failed, or its answer is of no use. D37 */
export const badAnswer = (message: string, cause?: string): EngineFailure =>
  withCause({ _tag: 'BadAnswer', message }, cause)
/** 502: the engine refused the service's own key, which is no fault of the caller's. D37, D38 */
export const keyRefused = (message: string, cause?: string): EngineFailure =>
  withCause({ _tag: 'KeyRefused', message }, cause)
/** 504: the engine took too long. D37 */
export const timedOut = (message: string, cause?: string): EngineFailure =>
  withCause({ _tag: 'TimedOut', message }, cause)
/** 529: the engine has no room; `retryAfterMs` is the wait it asked for. D37 */
export const overloaded = (message: string, retryAfterMs?: number): EngineFailure => ({
  _tag: 'Overloaded',
  message,
  retryAfterMs,
})
/** 400: a question that the engine cannot answer. D37 */
export const unsupported = (message: string): EngineFailure => ({ _tag: 'Unsupported', message })
/** 400: the state and a question are longer than the engine takes. D77 */
export const tooLong = (message: string): EngineFailure => ({ _tag: 'TooLong', message })

const withCause = (failure: EngineFailure, cause: string | undefined): EngineFailure =>
  cause === undefined ? failure : { ...failure, cause }

/** An entry of `GET /v1/models`. Fields beyond these three are listed as well. D2 */
export interface ModelEntry {
  readonly name: string
  readonly description: string
  /** A date and time as in RFC 3339. */
  readonly release_date: string
  readonly [field: string]: string | number | boolean | null
}

/** What every engine has. */
interface EngineBase {
  /** The name of `--engine`, for messages and metrics. */
  readonly name: string
  /**
   * Finds out whether the engine is ready, before the service listens. A failure keeps the service from
   * starting.
   */
  readonly probe?: () => TE.TaskEither<EngineFailure, void>
  /** Finds out whether the engine is there, while the service runs. One without this always is. D78 */
  readonly ping?: (signal: AbortSignal) => TE.TaskEither<EngineFailure, unknown>
  readonly close: () => Promise<void>
}

/**
 * An engine that answers questions. The service checks the request before, and writes the response after. D39
 */
export interface AnsweringEngine extends EngineBase {
  readonly kind: 'answering'
  /** The engine's own models. The first is the one that `svc-latest` stands for. */
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

/** What logs, spans and metrics tell of a request. Never state, questions or answers. */
export interface AskFacts {
  /** The model asked for, cut to a short text; `undefined` where the request names none. */
  readonly model: string | undefined
  /** How many questions of each type there are. */
  readonly types: Readonly<Record<Question['type'], number>>
}

/** A response document, with what the engine says of how it came about. */
export interface Responded extends Pick<EngineAnswer, 'model' | 'usage'> {
  readonly body: Uint8Array
}

/** What became of a request document. The facts are there once it was read. */
export interface AskOutcome {
  readonly facts?: AskFacts
  readonly result: E.Either<Problem | EngineFailure, Responded>
}

/** Answers a whole request document. */
export type AskDocument = (body: Uint8Array, context: EngineContext) => Promise<AskOutcome>

/**
 * An engine that computes its answers on this machine. Its requests are read, checked and answered in worker threads:
 * the thread that accepts connections never computes. D69
 */
export interface ComputingEngine extends EngineBase {
  readonly kind: 'computing'
  /** As those of `AnsweringEngine`. */
  readonly models: ReadonlyArray<ModelEntry>
  readonly ask: AskDocument
}

/** A request that is handed on as it came, unchecked. */
export interface Passing {
  /** Whether questions are asked, by either of the two paths for that, or models are listed. */
  readonly operation: 'ask' | 'models'
  /** The document; empty for `models`. */
  readonly body: Uint8Array
  /** What the path has before `/v1`; empty but for an engine that takes prefixes. */
  readonly prefix: string
}

/** Writes a response with these headers, and no others but those that HTTP itself needs. */
export type Play = (outgoing: ServerResponse, headers: Readonly<Record<string, string>>) => void

/** A whole response, to be handed back as it is. */
export interface Passed {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
  /** Why this is no answer of the engine, where it is none. For the operator's log. D76 */
  readonly cause?: string
  /** Writes the response itself, where no header may be added, or where it is no proper response. D74 */
  readonly play?: Play
}

/** An engine that takes whole requests and gives whole responses back (`upstream`, `replay`). D39 */
export interface PassingEngine extends EngineBase {
  readonly kind: 'passing'
  /** Whether paths with something before `/v1` are the engine's too. Elsewhere they are not found. D74 */
  readonly takesPrefixes?: boolean
  readonly pass: (request: Passing, context: EngineContext) => TE.TaskEither<EngineFailure, Passed>
}

/** Where `svc serve` has its answers from. D39 */
export type Engine = AnsweringEngine | ComputingEngine | PassingEngine
