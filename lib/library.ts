/**
 * What a program imports as `typed-questions`: a client of typed questions, and what makes their answers usable. It
 * reads nothing of its environment on its own, and importing it does nothing.
 */
export type {
  AnswersTo,
  AnswerTo,
  ChoiceAnswer,
  NoulAnswer,
  Refusal,
  ScoreAnswer,
} from './library/answers'
export {
  type Client,
  createClient,
  type ModelList,
  type ResponseTo,
  type Result,
  type Usage,
} from './library/client'
export {
  AuthError,
  ConnectionError,
  type ErrorFields,
  InvalidResponseError,
  RateLimitError,
  RequestError,
  ServerError,
  TypedQuestionsError,
  UsageError,
  ValidationError,
} from './library/errors'
export {
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
export type { CallOptions, ClientOptions } from './library/settings'
