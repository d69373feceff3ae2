import type { ServerResponse } from 'node:http'
import type * as TE from 'fp-ts/TaskEither'
import type { JsonValue } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import type { Span } from '../../runtime/tracer'
import type { ServedDialect } from '../dialects/served-dialect'
import type { Problem } from './problem'

/**
 * A checked question of one of the three known types: `noul` (a yes/no question), `choice` (one of several labels) or `score` (a level
 * of a scale). Its content values are strings, objects or arrays. A choice has at least one label, and a score at least two levels.
 */
export type EngineQuestion = QuestionOf<'noul'> | WithCriteria<'choice'> | WithCriteria<'score'>

/** A checked question of any type. */
export type CheckedQuestion = EngineQuestion | QuestionOf<'other'>

type QuestionOf<T extends RequestQuestion['type']> = Extract<RequestQuestion, { readonly type: T }>
type WithCriteria<T extends 'choice' | 'score'> = QuestionOf<T> &
  Required<Pick<QuestionOf<T>, 'criteria'>>

/** A checked request for an engine that answers questions. */
export interface EngineRequest {
  /** The JSON value that the questions are about. */
  readonly state: JsonValue
  readonly questions: ReadonlyArray<readonly [id: string, question: EngineQuestion]>
}

/** The context of a request that an engine answers. */
export interface EngineContext {
  /** Aborted if the caller disconnects, the answer times out, or the service ends. */
  readonly signal: AbortSignal
  /** The id of the `KeyHolder`, the caller with this API key. An engine with a queue serves the holders in turn. */
  readonly holderId?: string | undefined
  /** The span of the request: the parent span for calls that the engine makes. */
  readonly span: Span
  /**
   * Runs a function on the event loop when the request's turn comes. Meant for computations that could take more than a
   * millisecond. Fails without running the function if the request is aborted before its turn.
   */
  readonly compute: <A>(work: () => A) => TE.TaskEither<Problem, A>
}

/** An engine's answer to one question, unrounded. `deriveAnswer` turns it into the fields of the response. */
export type Distribution =
  /** `yes` is the probability, 0 to 1, that the answer is yes. */
  | { readonly type: 'noul'; readonly yes: number }
  /** One probability for each label or level, in the question's order. They sum to 1. */
  | { readonly type: 'choice' | 'score'; readonly probabilities: ReadonlyArray<number> }

/** An engine's answers to a request. */
export interface EngineAnswer {
  /** One answer for each question, in the order of the request. */
  readonly answers: ReadonlyArray<Distribution>
  /** Numbers of tokens; `null` if the engine does not count them. */
  readonly usage: { readonly input_tokens: number | null; readonly output_tokens: number | null }
}

/** An entry of `GET /v1/models`. */
interface ModelEntry {
  readonly name: string
  readonly description: string
  /** A date and time as in RFC 3339. */
  readonly release_date: string
}

/** The members of every engine. */
interface EngineBase {
  /** The value of `--engine`, for logs and metrics. */
  readonly name: string
  /** Checks that the engine is reachable. An engine without `ping` counts as always reachable. */
  readonly ping?: (signal: AbortSignal) => TE.TaskEither<Problem, unknown>
  readonly close: () => Promise<void>
}

/** An engine that answers questions. The service decodes and checks the request, and encodes the response. */
export interface AnsweringEngine extends EngineBase {
  readonly kind: 'answering'
  /** The engine's model. `svc-latest` is an alias for it. */
  readonly model: ModelEntry
  /**
   * `true` if the engine gets one request at a time, because it computes on the event loop. Concurrent requests would take more
   * memory and save no time.
   */
  readonly takesOneRequest?: true
  /** Lists the models that the engine could have, if there are others than `model`. */
  readonly listModels?: (
    origin: Pick<EngineContext, 'signal' | 'span'>,
  ) => TE.TaskEither<Problem, ReadonlyArray<Pick<ModelEntry, 'name'>>>
  /** Answers all questions. Fails if it cannot answer one of them. */
  readonly answer: (
    request: EngineRequest,
    context: EngineContext,
  ) => TE.TaskEither<Problem, EngineAnswer>
}

/** A request that the service passes on to the engine unchecked. */
export interface PassthroughRequest {
  /** `ask` for questions in any dialect, `models` for the model list. */
  readonly operation: 'ask' | 'models'
  /** The caller's dialect: the form of its requests and responses. */
  readonly dialect: ServedDialect
  /** The request document; empty for `models`. */
  readonly body: Uint8Array
  /** The query with its question mark, or `''`. */
  readonly search: string
}

/** Sends a response with exactly these headers. Node adds only those that HTTP itself needs, such as `Date`. */
export type ResponseWriter = (
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
) => void

/** A response that the service passes on to its caller. */
export interface PassthroughResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
  /** The reason why the engine failed, for the operator's log. Absent if it answered. */
  readonly cause?: string
  /** `true` if the response was recorded. All its headers are sent, except those of the connection. */
  readonly isRecorded?: true
  /** Sends the response itself. Used if svc must not add headers, or if the response is not valid HTTP. */
  readonly write?: ResponseWriter
}

/** A request whose path is not a route of the service. */
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

/** An engine that takes a request document and returns a response document: `upstream` or `replay`. */
export interface PassthroughEngine extends EngineBase {
  readonly kind: 'passthrough'
  readonly pass: (
    request: PassthroughRequest,
    context: EngineContext,
  ) => TE.TaskEither<Problem, PassthroughResponse>
  /** Answers requests whose path is not a route of the service. Without it they get a 404. */
  readonly playScenario?: PlayScenario
  /** Lists the recorded requests that no caller has made. Only `replay` with `--strict` has it. */
  readonly listUnused?: () => ReadonlyArray<UnusedExchange>
}

/** A recorded request that no caller has made. */
export type UnusedExchange = {
  readonly scenario: string
  readonly method: string
  readonly path: string
}

/** The source of the service's answers. `--engine` chooses it. */
export type Engine = AnsweringEngine | PassthroughEngine

/** The alias for the engine's model in the dialects `questions` and `decisions`. */
const latestModel = 'svc-latest'

/** The default model name of clients of System One. */
const systemoneModel = 'jev-latest'

/** Returns true if a model name is an alias for the engine's model. Both aliases work on all routes. */
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
