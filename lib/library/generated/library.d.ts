/** A client of one service. It holds its own connections and no other state. */
export interface Client {
    /**
     * Asks the questions about a state, which is any JSON value. Rejects with a `TypedQuestionsError`, or where a signal
     * fires, with the reason of the signal.
     */
    readonly ask: <const Q extends Questions>(state: unknown, questions: Q, options?: CallOptions) => Promise<ResponseTo<Q>>;
    /** Asks like `ask`, but resolves with an error instead of rejecting with it. An abort rejects all the same. */
    readonly askResult: <const Q extends Questions>(state: unknown, questions: Q, options?: CallOptions) => Promise<Result<ResponseTo<Q>>>;
    /**
     * Asks the questions about each row, several at a time, and gives the records in the order of the rows. Rows are taken
     * only as records are; leaving the loop aborts what is in flight. A row that fails gives a record with its `error`.
     * Throws like `ask` before the first row, and where the service does not accept the key.
     */
    readonly batch: <const Q extends Questions>(rows: Rows<Q>, questions: Q, options?: BatchOptions) => AsyncGenerator<RecordOf<Q>, void, undefined>;
    /** Lists the models that the key can use. Rejects as `ask` does. */
    readonly models: (options?: CallOptions) => Promise<ModelList>;
}
/** The answers to a request, as `svc ask` prints them. */
export interface ResponseTo<Q extends Questions = Questions> {
    /** The model that answered. */
    readonly model: string;
    readonly answers: AnswersTo<Q>;
    readonly usage: Usage;
    readonly request_id?: string;
    /** The whole document as JSON text, with the exact text of its numbers. `JSON.stringify` leaves this out. */
    readonly json: string;
}
/** The models of a service, as `svc models` prints them. */
export interface ModelList {
    /** Entries as the service sent them; most have a `name` or an `id`. */
    readonly models: ReadonlyArray<Readonly<Record<string, unknown>>>;
    readonly request_id?: string;
}
/** Creates a client. Throws a `UsageError` where the options are wrong, or a key is missing. Nothing is sent. */
export declare const createClient: (options: ClientOptions) => Client;
/** A row to ask about. */
export interface BatchRow<Q extends Questions = Questions> {
    /** Any JSON value. */
    readonly state: unknown;
    /** What the record is to be found by, and what it belongs to; any JSON value. */
    readonly id?: unknown;
    readonly group?: unknown;
    /** What a person says is right: true or false, a label, or the number of a level. It is not sent. */
    readonly labels?: {
        readonly [Id in keyof Q]?: boolean | string | number | null;
    };
}
/** Rows to ask about, in order. */
export type Rows<Q extends Questions = Questions> = Iterable<BatchRow<Q>> | AsyncIterable<BatchRow<Q>>;
/** How a batch is asked. */
export interface BatchOptions extends CallOptions {
    /** The most rows asked at the same time, 1 to 256; 8 by default. */
    readonly concurrency?: number;
    /** The most requests per minute, retries included. */
    readonly rpm?: number;
    /** Asks each row so many times. */
    readonly repeat?: number;
    /** Asks each choice in so many orders of its labels, and answers with the mean. */
    readonly permute?: number;
    /** Stops after the first row that fails. */
    readonly failFast?: boolean;
    /** Keeps the state in the record. */
    readonly withState?: boolean;
    /** Judges each row: the record's `gate`. */
    readonly requirement?: Requirement;
    /** Is applied to each row: the record's `policy`. */
    readonly policy?: Policy;
    /** Records of earlier runs, such as `readRun` gives: rows that they answer are not sent again. */
    readonly reuse?: Records;
}
/** What a record says of its row. */
interface RecordHead {
    /** The position of the row, from 0. */
    readonly index: number;
    /** The number of the repetition, from 0. */
    readonly run?: number;
    readonly id?: unknown;
    readonly group?: unknown;
    readonly labels?: Readonly<Record<string, boolean | string | number>>;
    readonly state?: unknown;
    readonly state_sha256?: string;
    readonly questions_sha256: string;
    /** The line that `svc batch` writes, without its newline. `JSON.stringify` leaves this out. */
    readonly json: string;
}
/** The record of a row that was answered. */
export interface AnsweredRecord<Q extends Questions> extends RecordHead {
    readonly model: string;
    readonly answers: AnswersTo<Q>;
    readonly usage: Usage;
    readonly request_id?: string;
    /** Whether the answers are those of an earlier run. */
    readonly reused?: true;
    readonly gate?: Pick<Verdict, 'passed' | 'failed'> & Partial<Verdict>;
    readonly policy?: Readonly<Record<string, Outcome>>;
    readonly error?: undefined;
}
/** The record of a row that failed. */
export interface FailedRecord extends RecordHead {
    readonly error: {
        readonly kind: string;
        readonly status?: number;
        readonly request_id?: string;
        readonly message: string;
    };
    readonly answers?: undefined;
}
/** A record of a run, as a line of the file of `svc batch`. */
export type RecordOf<Q extends Questions = Questions> = AnsweredRecord<Q> | FailedRecord;
/** Answers by question id, as `ask` gives them. */
export type AnyAnswers = Readonly<Record<string, object>>;
/** What answers must fulfil: all expressions have to hold. */
export interface Requirement {
    readonly expressions: ReadonlyArray<string>;
    /**
     * Checks the expressions against questions, before anything is sent. Throws a `UsageError` where one names what is not
     * there, or can never hold.
     */
    readonly check: (questions: Questions) => void;
    /** Judges the answers to one request. */
    readonly judge: (answers: AnyAnswers) => Verdict;
}
/** What a requirement says of answers, as the `gate` of a record does. */
export interface Verdict {
    readonly passed: boolean;
    /** The expressions that do not hold. */
    readonly failed: ReadonlyArray<string>;
    /** The expressions that cannot be judged, since a value is missing; they do not pass. */
    readonly unevaluable: ReadonlyArray<string>;
}
/**
 * Reads expressions such as `billing.noul >= 0.8 and tone.choice != "angry"`; `svc help requirements` has the grammar.
 * Throws a `UsageError` that names the column of a fault.
 */
export declare const require: (...expressions: ReadonlyArray<string>) => Requirement;
/** A policy of `svc calibrate`: the parsed text of a `policy.json`, or what `calibrate` gives. */
export interface Policy {
    readonly questions: Readonly<Record<string, object>>;
}
/** What a policy says of one answer. */
export interface Outcome {
    /** Whether to accept the answer, or to let a person look at it. */
    readonly outcome: 'accept' | 'review';
    /** Whether the answer is yes, for a noul that the policy accepts as a sure yes or a sure no. */
    readonly decision?: boolean;
    /** The corrected probability of a yes, or that of each label or level; null where there is none. */
    readonly calibrated: number | Readonly<Record<string, number>> | null;
}
/**
 * Applies a policy to the answers of one request. An answer that is missing, refused or of another type goes to review.
 * Throws a `UsageError` where the policy or an answer cannot be read.
 */
export declare const applyPolicy: (policy: Policy, answers: AnyAnswers) => Readonly<Record<string, Outcome>>;
/** A value, or the error that stands in its place. */
export type Result<A> = {
    readonly ok: true;
    readonly value: A;
} | {
    readonly ok: false;
    readonly error: TypedQuestionsError;
};
/**
 * Reads the options of a client from the variables that `svc` reads: `SERVICE_PROVIDER`, `SERVICE_BASE_URL`,
 * `SERVICE_API_KEY`, `OPENAI_API_KEY` and so on; `svc help environment` lists them. A key goes only where it was set for.
 * Variables that name a proxy have no effect: pass a `fetch` that goes through it. Throws a `UsageError` for an unknown
 * provider or dialect, and where the key is in a file that `SERVICE_API_KEY_FILE` names, which is not read.
 */
export declare const fromEnvironment: (env?: Readonly<Record<string, string | undefined>>) => ClientOptions;
/** A text, or a JSON object or array, which the service gets as it is. */
export type Content = string | object;
/** A yes/no question. Its answer is the probability of a yes. */
export interface NoulQuestion {
    readonly type: 'noul';
    readonly instructions?: Content;
    /** What counts as a yes, and what as a no. */
    readonly criteria?: {
        readonly true?: Content;
        readonly false?: Content;
    };
}
/** A question for one label out of a set. `L` is the union of the labels. */
export interface ChoiceQuestion<L extends string = string> {
    readonly type: 'choice';
    readonly instructions?: Content;
    /** The labels in order, each with what it means, or null. */
    readonly criteria: Readonly<Record<L, Content | null>>;
}
/** A question for a place on a scale. `T` is the tuple of its levels, from the lowest to the highest. */
export interface ScoreQuestion<T extends ReadonlyArray<Content> = ReadonlyArray<Content>> {
    readonly type: 'score';
    readonly instructions?: Content;
    /** What each level means: entry 0 is the lowest. */
    readonly criteria: T;
}
/** A question, as `noul`, `choice` and `score` make it, or as it stands in a request document. */
export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion;
/** Questions by id. The ids are the keys of the answers. */
export type Questions = Readonly<Record<string, Question>>;
/** Asks for yes or no. `criteria` says what counts as either. */
export declare const noul: (instructions: Content, criteria?: NoulQuestion['criteria']) => NoulQuestion;
/**
 * Asks for one of several labels: a list of them, or an object that says what each means. Throws where labels that are
 * whole numbers would not keep their order as the keys of an object.
 */
export declare const choice: <const L extends string>(instructions: Content, labels: ReadonlyArray<L> | Readonly<Record<L, Content | null>>) => ChoiceQuestion<L>;
/** Asks for a place on a scale, whose levels are given from the lowest to the highest. */
export declare const score: <const T extends readonly [Content, Content, ...Content[]]>(instructions: Content, levels: T) => ScoreQuestion<T>;
/** What every answer has besides its own members. */
interface Received {
    /** The answer's JSON text as it came, with the exact text of its numbers. `JSON.stringify` leaves this out. */
    readonly json: string;
}
/** The probability of a yes. */
export interface NoulAnswer extends Received {
    readonly type: 'noul';
    readonly noul: number;
}
/** The chosen label. */
export interface ChoiceAnswer<L extends string = string> extends Received {
    readonly type: 'choice';
    readonly choice: L;
    /** The service's own measure from 0 to 1; services compute it differently. */
    readonly confidence?: number;
    /** The probability of each label. Absent where the service does not give one for each. */
    readonly probabilities?: Readonly<Record<L, number>>;
}
/** A place on the scale. `N` is the union of the levels' numbers, from 0. */
export interface ScoreAnswer<N extends number = number> extends Received {
    readonly type: 'score';
    /** The mean of the levels by their probabilities. */
    readonly score: number;
    /** The likeliest level, the lowest of equals. Absent without probabilities. `JSON.stringify` leaves this out. */
    readonly level?: N;
    readonly confidence?: number;
    /** What each level means, by its number. */
    readonly legend: Readonly<Record<string, unknown>>;
    /** The probability of each level. Absent where the service does not give one for each. */
    readonly probabilities?: Readonly<Record<N, number>>;
}
/** The service would not answer this question. It can take the place of any answer. */
export interface Refusal extends Received {
    readonly type: 'refusal';
    /** The service's reason, where it gives one. It is the service's text: escape it before it is shown. */
    readonly reason?: string;
}
/** The numbers of a tuple's entries: `0 | 1 | 2` for three levels. */
type LevelOf<T extends ReadonlyArray<unknown>> = number extends T['length'] ? number : NumberIn<keyof T>;
type NumberIn<Key> = Key extends `${infer N extends number}` ? N : never;
/** The answer to a question: of its type, or a refusal. */
export type AnswerTo<Q extends Question> = Refusal | (Q extends NoulQuestion ? NoulAnswer : Q extends ChoiceQuestion<infer L> ? ChoiceAnswer<L> : Q extends ScoreQuestion<infer T> ? ScoreAnswer<LevelOf<T>> : never);
/** Tokens; null where the service sent no count. */
export interface Usage {
    readonly input_tokens: number | null;
    readonly output_tokens: number | null;
}
/** The answers to questions, by id. */
export type AnswersTo<Q extends Questions> = {
    readonly [Id in keyof Q]: AnswerTo<Q[Id]>;
};
/** Where a client's calls go, and how they are made. Nothing else is read, the environment least of all. */
export interface ClientOptions {
    /** The service that is asked. Without it, and without `baseUrl`, that is `svc serve` on this machine. */
    readonly provider?: ProviderName;
    /** The address of a service, such as a proxy in front of a provider's. */
    readonly baseUrl?: string;
    /** How the service at `baseUrl` is spoken to: `questions` unless the provider says otherwise. */
    readonly dialect?: DialectName;
    /** The key. Services on one's own machine need none. */
    readonly apiKey?: string;
    /** The model for requests that name none. Most providers have a default. */
    readonly model?: string;
    /** The time limit of each attempt in milliseconds, 10,000 by default; 0 for none. */
    readonly timeout?: number;
    /** The most attempts after a failed first one, 2 by default. */
    readonly maxRetries?: number;
    /** Makes the HTTP exchanges in place of Node's own client, for instance through a proxy. Cookies are not kept. */
    readonly fetch?: WebFetch;
    /** Aborts every call of the client. */
    readonly signal?: AbortSignal;
}
/** The settings of a single call; they come before those of the client. */
export interface CallOptions {
    readonly model?: string;
    readonly timeout?: number;
    readonly maxRetries?: number;
    readonly signal?: AbortSignal;
}
/** What went wrong with a call. Each kind has a class of its own below. */
export declare class TypedQuestionsError extends Error {
    readonly name: string;
    /** The class of the failure, as in the error envelope of `svc`: `rate_limit`, `auth`, `connection` and so on. */
    readonly kind: Kind;
    /** The HTTP status, where the service answered with an error. */
    readonly status: number | undefined;
    /** The id that the service gave the request, where it gave one. */
    readonly requestId: string | undefined;
    /** How many requests were sent; 0 where the call failed before the first. */
    readonly attempts: number;
    constructor(message: string, { kind, status, requestId, attempts }: ErrorFields);
}
/** What an error says besides its message. */
export interface ErrorFields {
    readonly kind: Kind;
    readonly status?: number | undefined;
    readonly requestId?: string | undefined;
    readonly attempts: number;
}
/** The arguments or settings are wrong, or a key is missing. Nothing was sent. */
export declare class UsageError extends TypedQuestionsError {
    readonly name = "UsageError";
}
/** The questions cannot be asked as they are. Nothing was sent. */
export declare class ValidationError extends TypedQuestionsError {
    readonly name = "ValidationError";
}
/** The service does not accept the key (401, 403). */
export declare class AuthError extends TypedQuestionsError {
    readonly name = "AuthError";
}
/** The service answered 429, after all retries. */
export declare class RateLimitError extends TypedQuestionsError {
    readonly name = "RateLimitError";
}
/** The service refused the request (another 4xx, or a redirect, which is not followed). */
export declare class RequestError extends TypedQuestionsError {
    readonly name = "RequestError";
}
/** The service failed (5xx), after all retries. */
export declare class ServerError extends TypedQuestionsError {
    readonly name = "ServerError";
}
/** There was no usable response: the connection failed, or an attempt took too long. */
export declare class ConnectionError extends TypedQuestionsError {
    readonly name = "ConnectionError";
}
/** The service's answer cannot be read, or does not fit the questions. */
export declare class InvalidResponseError extends TypedQuestionsError {
    readonly name = "InvalidResponseError";
}
/** The records of a run: those of `batch` or `readRun`, or lines of a run parsed by `JSON.parse`. */
type Records = Iterable<object> | AsyncIterable<object>;
/** The names of the providers in the table. P2 */
declare const providerNames: readonly ["typesafe", "openai", "gemini", "openrouter", "fireworks", "perplexity", "vercel", "litellm", "ollama", "llama.cpp", "vllm"];
/** The name of a provider. */
type ProviderName = (typeof providerNames)[number];
/** The names of the dialects: how questions are written on the wire. P1 */
declare const dialectNames: readonly ['questions', 'systemone', 'decisions', 'gemini'];
/** The name of a dialect. */
type DialectName = (typeof dialectNames)[number];
/** The part of the Fetch API that a caller's own `fetch` must have: the global one has it, and so have others. */
type WebFetch = (url: string, init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
}) => Promise<WebResponse>;
/** The part of a response of the Fetch API that is read. */
interface WebResponse {
    readonly status: number;
    readonly headers: {
        readonly get: (name: string) => string | null;
    };
    /** A stream that can be iterated, as those of Node, Deno and Bun can. Not all type declarations say so. */
    readonly body: object | null;
}
/** The values of `error.kind` in the envelope. spec: Error envelope */
type Kind = 'interrupted' | 'usage' | 'validation' | 'rate_limit' | 'auth' | 'server' | 'request' | 'connection' | 'invalid_response' | 'internal';
export {}
