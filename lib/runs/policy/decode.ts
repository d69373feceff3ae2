import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { array, type Decoded, nonEmpty, number, pairsOf, string } from '../../codec/combinators'
import { firstFault, formatLoc } from '../../codec/fault'
import { maxDocumentBytes, parseJson, tooLargeMessage } from '../../codec/json/parse'
import { object } from '../../codec/object'
import type { AskRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import { convertUtf16Document } from '../../text/utf16'
import { digestQuestions } from '../record/record'
import { applyQuestionPolicy } from './apply'
import { maxTemperature, minTemperature } from './calibration-map'
import {
  type AnswerPolicies,
  type CalibrationMap,
  calibrationMethods,
  cutScales,
  isPolicyFor,
  type LoadedPolicy,
  type QuestionType,
  type UsablePolicy,
} from './policy'

const MapDocument = object(
  { method: string },
  { temperature: number, slope: number, intercept: number },
)

/** The policy of a question. `cut.at` is a threshold: answers at or above it are accepted. `map` corrects their probabilities first. */
const QuestionDocument = object(
  {
    type: string,
    questions_sha256: string,
    models: nonEmpty(array(string)),
    cut: object({ scale: string }, { at: number }),
  },
  { map: MapDocument },
)

/** The members of a policy document that svc uses. Decoding ignores all others. */
const PolicyDocument = object({ questions: nonEmpty(pairsOf(QuestionDocument)) }, {})

/** Decodes a policy document. Fails with a message that has the path of the first fault, such as `questions.bug.map.method`. */
export const decodePolicy = (bytes: Uint8Array): E.Either<string, AnswerPolicies> => {
  const json = parseJson(bytes)
  if (E.isLeft(json)) return E.left(`invalid JSON: ${json.left.message}`)
  const document = PolicyDocument.decode(json.right)
  if (E.isLeft(document)) {
    const { loc, message } = firstFault(document.left)
    return E.left(loc.length === 0 ? message : `${formatLoc(loc)}: ${message}`)
  }
  const policies = new Map<string, UsablePolicy>()
  for (const [id, question] of document.right.questions) {
    const policy = decodeQuestionPolicy(question)
    if (E.isLeft(policy)) return E.left(`${formatLoc(['questions', id])}.${policy.left}`)
    policies.set(id, {
      ...policy.right,
      apply: (answer) => applyQuestionPolicy(policy.right, answer),
    })
  }
  return E.right(policies)
}

const questionTypes = ['noul', 'choice', 'score'] as const

/** Decodes the policy of a question. Fails with a message that begins with the path of the member, from the question on. */
const decodeQuestionPolicy = (
  document: Decoded<typeof QuestionDocument>,
): E.Either<string, Omit<UsablePolicy, 'apply'>> => {
  const { questions_sha256: questionsSha256, models, cut } = document
  const type = questionTypes.find((name) => name === document.type)
  const scale = cutScales.find((name) => name === cut.scale)
  // Without a threshold, the policy accepts no answer.
  const threshold = cut.at ?? null
  if (type === undefined) return E.left(`type: must be one of ${questionTypes.join(', ')}`)
  if (!/^[0-9a-f]{64}$/.test(questionsSha256))
    return E.left('questions_sha256: must be 64 hexadecimal digits')
  if (threshold !== null && (threshold < 0 || threshold > 1))
    return E.left('cut.at: must be from 0 to 1')
  if (scale === undefined) return E.left(`cut.scale: must be one of ${cutScales.join(', ')}`)
  if (scale === 'noul' && type !== 'noul')
    return E.left('cut.scale: noul is for noul questions only')
  const map = document.map === undefined ? E.right(null) : decodeMap(document.map, type)
  if (E.isLeft(map)) return E.left(`map.${map.left}`)
  return E.right({ type, questionsSha256, models, map: map.right, scale, cut: { at: threshold } })
}

/**
 * Decodes the map of a question: `platt` is only for nouls (yes/no questions), `temperature` only for choices and scores, and `none`
 * for any question. Fails with a message that begins with the path of the member, from the map on.
 */
const decodeMap = (
  { method, temperature, slope, intercept }: Decoded<typeof MapDocument>,
  type: QuestionType,
): E.Either<string, CalibrationMap> => {
  switch (method) {
    case 'none':
      return E.right({ method })
    case 'temperature':
      if (type === 'noul')
        return E.left('method: temperature is for choice and score questions only')
      return temperature !== undefined &&
        temperature >= minTemperature &&
        temperature <= maxTemperature
        ? E.right({ method, temperature })
        : E.left(`temperature: must be from ${minTemperature} to ${maxTemperature}`)
    case 'platt':
      if (type !== 'noul') return E.left('method: platt is for noul questions only')
      return isFiniteNumber(slope) && isFiniteNumber(intercept)
        ? E.right({ method, slope, intercept })
        : E.left('slope: "slope" and "intercept" must be numbers')
    default:
      return E.left(`method: must be one of ${calibrationMethods.join(', ')}`)
  }
}

const isFiniteNumber = (value: number | undefined): value is number => Number.isFinite(value)

/** Reads a policy file. If `questions` are known, checks that the policy was derived for them. Fails with a usage error. */
export const loadPolicy = async (
  { path, pin }: Omit<LoadedPolicy, 'policies'>,
  files: Pick<Files, 'read'>,
  questions: AskRequest['questions'] | undefined,
): Promise<E.Either<Failure, LoadedPolicy>> => {
  const fail = (reason: string) => E.left(usage(`read policy: ${path}: ${reason}`))
  const bytes = await TE.tryCatch(() => files.read(path, maxDocumentBytes), reasonOf)()
  if (E.isLeft(bytes)) return fail(bytes.left)
  if (bytes.right.length > maxDocumentBytes) return fail(tooLargeMessage)
  const utf8 = convertUtf16Document(bytes.right)
  if (E.isLeft(utf8)) return fail(utf8.left)
  const decoded = decodePolicy(utf8.right)
  if (E.isLeft(decoded)) return fail(decoded.left)
  const policy = { path, policies: decoded.right, pin }
  return questions === undefined || isPolicyFor(policy, digestQuestions(questions))
    ? E.right(policy)
    : E.left(usage(`the policy ${path} is for other questions`, 'policy'))
}
