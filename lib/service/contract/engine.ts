import type { ServerResponse } from 'node:http'
import type * as TE from 'fp-ts/TaskEither'
import type { ServedDialect } from '../../client/dialects/served'
import type { JsonValue } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import type { Span } from '../../runtime/tracer'
import type { Problem } from './problem'

/**
 * A checked question of one of the three known types. Its content values are strings, objects or arrays. A
 * choice has at least one label and a score at least two levels, so `criteria` is always present.
 */
export type EngineQuestion = QuestionOf<'noul'> | WithCriteria<'choice'> | WithCriteria<'score'>

/** A question within the limits, of any type. Engines only get questions of the three known types. */
export type CheckedQuestion = EngineQuestion | QuestionOf<'other'>

type QuestionOf<T extends RequestQuestion['type']> = Extract<RequestQuestion, { readonly type: T }>
type WithCriteria<T extends 'choice' | 'score'> = QuestionOf<T> &
  Required<Pick<QuestionOf<T>, 'criteria'>>

/** A checked request: every question is within the limits. */
export interface EngineRequest {
  readonly state: JsonValue
  readonly questions: ReadonlyArray<readonly [id: string, question: EngineQuestion]>
}

/** The context of a request, which an engine receives with it. */
export interface EngineContext {
  /** Aborted if the caller disconnects, the time for an answer is up, or the service ends. */
  readonly signal: AbortSignal
  /** Identifies the API key of the request, for engines whose callers take turns. */
  readonly holder?: string | undefined
  /** The span of the request: the parent for spans of calls that the engine makes. */
  readonly span: Span
  /**
   * Runs a function on the event loop when the request's turn comes: one at a time, and callers take turns. Meant for
   * work that could take more than a millisecond. Fails without running it if the request ends before its turn.
   */
  readonly compute: <A>(work: () => A) => TE.TaskEither<Problem, A>
}

/**
 * An engine's answer to one question, unrounded. The service derives the fields of the response from it.
 */
export type Distribution =
  /** `yes` is the probability, 0 to 1, that the answer is yes. */
  | { readonly type: 'noul'; readonly yes: number }
  /** One probability for each label or level, in the question's order. They sum to 1. */
  | { readonly type: 'choice' | 'score'; readonly probabilities: ReadonlyArray<number> }

/** An engine's answer to a whole request. */
export interface EngineAnswer {
  /** One answer for each question, in the order of the request. */
  readonly answers: ReadonlyArray<Distribution>
  /** Tokens; `null` if the engine does not count them. */
  readonly usage: { readonly input_tokens: number | null; readonly output_tokens: number | null }
}

/** An entry of `GET /v1/models`. */
interface ModelEntry {
  readonly name: string
  readonly description: string
  /** A date and time as in RFC 3339. */
  readonly release_date: string
}

/** The members that all engines share. */
interface EngineBase {
  /** The name of `--engine`, for messages and metrics. */
  readonly name: string
  /** Checks while the service runs whether the engine is reachable. An engine without `ping` always is. */
  readonly ping?: (signal: AbortSignal) => TE.TaskEither<Problem, unknown>
  readonly close: () => Promise<void>
}

/**
 * An engine that answers questions. The service checks the request beforehand and writes the response
 * afterwards.
 */
export interface AnsweringEngine extends EngineBase {
  readonly kind: 'answering'
  /** The engine's model, for which `svc-latest` is an alias. */
  readonly model: ModelEntry
  /** `true` if the engine computes on the event loop, where two requests at once would only use more memory. */
  readonly takesOneRequest?: true
  /** Answers every question, or fails as a whole. */
  readonly answer: (
    request: EngineRequest,
    context: EngineContext,
  ) => TE.TaskEither<Problem, EngineAnswer>
}

/** A request that the service passes on unchecked. */
export interface PassthroughRequest {
  /** `ask` for any of the paths that ask questions, `models` for the model list. */
  readonly operation: 'ask' | 'models'
  /** The dialect that the caller speaks. */
  readonly dialect: ServedDialect
  /** The request document; empty for `models`. */
  readonly body: Uint8Array
}

/** Sends a response with exactly these headers. Node adds only those that HTTP itself needs, such as `Date`. */
export type ResponseWriter = (
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
) => void

/** A whole response, which the service passes back to its caller. */
export interface PassthroughResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
  /** The reason why the engine did not answer, for the operator's log. Absent if it answered. */
  readonly cause?: string
  /** Sends the response in place of the service, if no header may be added or the response is not valid HTTP. */
  readonly write?: ResponseWriter
}

/** A request at a path that is not a route of the service. */
export interface ScenarioRequest {
  readonly method: string
  readonly path: string
  /** The query with its question mark, or `''`. */
  readonly search: string
  readonly body: Uint8Array
}

/** Answers a request at the address of a recorded scenario. */
export type PlayScenario = (
  request: ScenarioRequest,
  context: EngineContext,
) => TE.TaskEither<Problem, PassthroughResponse>

/** An engine that takes whole requests and returns whole responses (`upstream`, `replay`). */
export interface PassthroughEngine extends EngineBase {
  readonly kind: 'passthrough'
  readonly pass: (
    request: PassthroughRequest,
    context: EngineContext,
  ) => TE.TaskEither<Problem, PassthroughResponse>
  /** Answers requests at every path that is not a route of the service. Without it they are answered with 404. */
  readonly playScenario?: PlayScenario
  /** Lists the recorded requests that never came. Only a strict `replay` has it. */
  readonly listUnused?: () => ReadonlyArray<UnusedExchange>
}

/** A recorded request that never came. */
export type UnusedExchange = {
  readonly scenario: string
  readonly method: string
  readonly path: string
}

/** The source of the service's answers, which `--engine` chooses. */
export type Engine = AnsweringEngine | PassthroughEngine

/** The model name with which clients of the other dialects ask for the engine's model. */
const latestModel = 'svc-latest'

/** The model name that clients of `/v1/systemone` send if none is configured. */
const systemoneModel = 'jev-latest'

/** `true` if a model name is an alias for the engine's model. Both aliases work on all routes. */
export const isAlias = (model: string): boolean => model === latestModel || model === systemoneModel

/** Lists the entries of `GET /v1/models`: first the alias `svc-latest`, then the engine's model. */
export const listModelEntries = (model: ModelEntry): ReadonlyArray<ModelEntry> => [
  {
    name: latestModel,
    description: `The model this service answers with: \`${model.name}\``,
    release_date: model.release_date,
  },
  model,
]
