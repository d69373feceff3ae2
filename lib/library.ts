/**
 * The package `typed-questions`: a client of typed questions, and functions that judge their answers. Only `fromEnvironment`
 * reads the environment. Importing the package has no side effects.
 */
export type {
  AnswersTo,
  AnswerTo,
  ChoiceAnswer,
  NoulAnswer,
  Refusal,
  Refusals,
  ScoreAnswer,
  Usage,
} from './library/answers'
export type {
  AnsweredRecord,
  BatchOptions,
  BatchRow,
  FailedRecord,
  RecordOf,
  Rows,
} from './library/batch'
export {
  type Client,
  createClient,
  type ModelList,
  type ResponseTo,
} from './library/client'
export { fromEnvironment } from './library/environment'
export {
  AuthError,
  ConnectionError,
  type ErrorFields,
  InvalidResponseError,
  PackError,
  RateLimitError,
  RequestError,
  ServerError,
  TypedQuestionsError,
  UsageError,
  ValidationError,
} from './library/errors'
export type { Images } from './library/images'
export {
  type AnyAnswers,
  applyPolicy,
  type Outcome,
  type Policy,
  type Requirement,
  requirement,
  type Verdict,
} from './library/judge'
export type { PackOptions } from './library/packs'
export {
  asQuestions,
  type ChoiceQuestion,
  type Content,
  choice,
  type NoulQuestion,
  noul,
  type Question,
  type Questions,
  type ScoreQuestion,
  score,
} from './library/questions'
export type { Result } from './library/results'
export type { AskOptions, CallOptions, ClientOptions } from './library/settings'
