import * as E from 'fp-ts/Either'
import type { ReceivedAnswer } from '../../codec/answer'
import { encodeText } from '../../codec/json/draft'
import { type JsonValue, Literal, memberIn } from '../../codec/json/json'
import type { Failure } from '../../failure/failure'
import { escapeCiCommands, escapeJson, sanitize } from '../../text/sanitize'
import { checkPath } from './check'
import { lookUpPath } from './evaluate'
import type { AnswerPath } from './expression'
import { parsePath } from './parse'
import { createExpressionFailure, type GateQuestions } from './requirements'
import { createShapes, type QuestionShapes } from './shape'

const flag = '--get'

/** The values of `--get`: paths to values in the answers to a single request. */
export interface AnswerValues {
  /** Checks the paths against the questions. Fails with a usage error about the first that leads to no value. */
  readonly check: (asked: GateQuestions) => E.Either<Failure, void>
  /**
   * Finds the value of each path: a number as the service wrote it, or a text without quotes. The value is `undefined` if the answer
   * lacks it, as a refusal does.
   */
  readonly find: (asked: GateQuestions, answers: ReceivedAnswers) => ReadonlyArray<AnswerValue>
}

type ReceivedAnswers = ReadonlyMap<string, ReceivedAnswer>

interface AnswerValue {
  /** The text of the path. */
  readonly path: string
  readonly value: string | undefined
}

/** Parses the paths of `--get`. Fails with a usage error that names the column of the fault. */
export const createAnswerValues = (
  texts: ReadonlyArray<string>,
): E.Either<Failure, AnswerValues> => {
  const paths = parsePaths(texts)
  if (E.isLeft(paths)) return paths
  return E.right({
    check: ({ questions, policies }) => checkPaths(paths.right, createShapes(questions, policies)),
    find: ({ questions, policies }, answers) => {
      const shapes = createShapes(questions, policies)
      return paths.right.map((path) => ({
        path: path.text,
        value: findValue(path, answers, shapes),
      }))
    },
  })
}

const parsePaths = (texts: ReadonlyArray<string>): E.Either<Failure, ReadonlyArray<AnswerPath>> =>
  E.traverseArray((text: string) => {
    const path = parsePath(text)
    return E.isLeft(path) ? E.left(createExpressionFailure(flag, text, path.left)) : path
  })(texts)

const checkPaths = (
  paths: ReadonlyArray<AnswerPath>,
  shapes: QuestionShapes,
): E.Either<Failure, void> => {
  for (const path of paths) {
    const checked = checkPath(path, shapes)
    if (E.isLeft(checked)) return E.left(createExpressionFailure(flag, path.text, checked.left))
  }
  return E.right(undefined)
}

/** The fields whose value is in the answer itself. svc computes the others. */
const receivedFields: ReadonlySet<string> = new Set([
  'noul',
  'choice',
  'score',
  'confidence',
  'probabilities',
])

const findValue = (
  path: AnswerPath,
  answers: ReceivedAnswers,
  shapes: QuestionShapes,
): string | undefined => {
  const value = lookUpPath(path, answers, shapes)
  if (value === undefined) return undefined
  if (typeof value === 'string') return formatText(value)
  const received = receivedFields.has(path.field)
    ? findReceivedValue(path, answers.get(path.id))
    : undefined
  return received instanceof Literal ? received.text : String(value)
}

const findReceivedValue = (
  { field, key }: AnswerPath,
  answer: ReceivedAnswer | undefined,
): JsonValue | undefined => {
  const value = answer && memberIn(answer.json, field)
  return key === undefined || value === undefined ? value : memberIn(value, key)
}

/**
 * Formats a text for one line of output: as it is, or as JSON if it has control characters, invisible characters or a command of a CI
 * system.
 */
const formatText = (text: string): string => {
  // `sanitize` keeps tabs.
  const isHarmless =
    !text.includes('\t') && sanitize(text) === text && escapeCiCommands(text) === text
  return isHarmless ? text : escapeJson(encodeText(text))
}
