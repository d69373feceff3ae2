import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { array, type Decoded, nonEmpty, number, record, string } from '../../codec/combinators'
import { firstFault, formatLoc } from '../../codec/fault'
import { exceedsMaxBytes, maxDocumentBytes, parseJson } from '../../codec/json/parse'
import { object } from '../../codec/object'
import type { AskRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import { questionsDigest } from '../record/record'
import { applyQuestionPolicy } from './apply'
import { type CalibrationMap, maxTemperature, methods, minTemperature } from './calibration-map'
import { type AnswerPolicies, type GivenPolicy, isFor, scales, type UsablePolicy } from './policy'

const MapDocument = object(
  { method: string },
  { temperature: number, slope: number, intercept: number },
)

const QuestionDocument = object(
  {
    type: string,
    questions_sha256: string,
    models: nonEmpty(array(string)),
    cut: object({ scale: string }, { at: number }),
  },
  { map: MapDocument },
)

const PolicyDocument = object({ questions: nonEmpty(record(QuestionDocument)) }, {})

/**
 * Decodes a `policy.json`. Fails with what is wrong and where. Members that only explain a cut are not checked.
 */
export const decodePolicy = (bytes: Uint8Array): E.Either<string, AnswerPolicies> =>
  pipe(
    parseJson(bytes),
    E.mapLeft(({ message }) => `invalid JSON: ${message}`),
    E.chain((json) =>
      pipe(
        PolicyDocument.decode(json),
        E.mapLeft((errors) => {
          const { loc, message } = firstFault(errors)
          return loc.length === 0 ? message : `${formatLoc(loc)}: ${message}`
        }),
      ),
    ),
    E.chain(({ questions }) =>
      pipe(
        questions,
        E.traverseArray(([id, document]) =>
          pipe(
            checkQuestion(document),
            E.bimap(
              (why) => `${formatLoc(['questions', id])}.${why}`,
              (question): readonly [string, UsablePolicy] => [
                id,
                { ...question, apply: (answer) => applyQuestionPolicy(question, answer) },
              ],
            ),
          ),
        ),
      ),
    ),
    E.map((questions) => new Map(questions)),
  )

const types = ['noul', 'choice', 'score'] as const

const checkQuestion = (
  document: Decoded<typeof QuestionDocument>,
): E.Either<string, Omit<UsablePolicy, 'apply'>> => {
  const { questions_sha256: questionsSha256, models, cut } = document
  const type = types.find((one) => one === document.type)
  const scale = scales.find((one) => one === cut.scale)
  const at = cut.at ?? null
  if (type === undefined) return E.left(`type: must be one of ${types.join(', ')}`)
  if (!/^[0-9a-f]{64}$/.test(questionsSha256))
    return E.left('questions_sha256: must be 64 hexadecimal digits')
  if (at !== null && !isShare(at)) return E.left('cut.at: must be from 0 to 1')
  if (scale === undefined) return E.left(`cut.scale: must be one of ${scales.join(', ')}`)
  if (scale === 'noul' && type !== 'noul')
    return E.left('cut.scale: noul is for noul questions alone')
  const map = document.map === undefined ? null : checkMap(document.map, type === 'noul')
  return typeof map === 'string'
    ? E.left(`map.${map}`)
    : E.right({ type, questionsSha256, models, map, scale, cut: { at } })
}

/**
 * Returns the map of a question, or what is wrong with it. Platt maps are for noul questions only, temperatures for all
 * others.
 */
const checkMap = (
  { method, temperature = Number.NaN, slope, intercept }: Decoded<typeof MapDocument>,
  yesNo: boolean,
): CalibrationMap | string => {
  switch (method) {
    case 'none':
      return { method }
    case 'temperature':
      if (yesNo) return 'method: temperature is for choice and score questions only'
      return temperature >= minTemperature && temperature <= maxTemperature
        ? { method, temperature }
        : `temperature: must be from ${minTemperature} to ${maxTemperature}`
    case 'platt':
      if (!yesNo) return 'method: platt is for noul questions only'
      return Number.isFinite(slope) && Number.isFinite(intercept)
        ? { method, slope: slope as number, intercept: intercept as number }
        : 'slope: "slope" and "intercept" must be numbers'
    default:
      return `method: must be one of ${methods.join(', ')}`
  }
}

const isShare = (value: number): boolean => value >= 0 && value <= 1

/** Reads a policy file, and checks that it was made for these questions. Fails with a usage error. */
export const loadPolicy = (
  { path, pin }: Omit<GivenPolicy, 'questions'>,
  files: Pick<Files, 'read'>,
  asked: AskRequest['questions'] | undefined,
): TE.TaskEither<Failure, GivenPolicy> => {
  const failWith = (why: string): Failure => usage(`read policy: ${path}: ${why}`)
  return pipe(
    TE.tryCatch(
      () => files.read(path, maxDocumentBytes),
      (error) => failWith(reasonOf(error)),
    ),
    TE.filterOrElse(
      (bytes) => bytes.length <= maxDocumentBytes,
      () => failWith(exceedsMaxBytes),
    ),
    TE.chainEitherK((bytes) => E.mapLeft(failWith)(decodePolicy(bytes))),
    TE.map((questions) => ({ path, questions, pin })),
    TE.filterOrElse(
      (policy) => asked === undefined || isFor(policy, questionsDigest(asked)),
      () => usage(`the policy ${path} is for other questions`, 'policy'),
    ),
  )
}
