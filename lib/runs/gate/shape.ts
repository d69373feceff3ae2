import type { Answer } from '../../codec/answer'
import type { RequestQuestion } from '../../codec/question'
import { isLevel, maxLabels } from '../../codec/question-limits'
import type { AnswerPolicies, UsablePolicy } from '../policy/policy'

/**
 * What is known of a question, to check requirements against: its type, its labels or levels, and the policy
 * for its answers, if there is one.
 */
export type Shape = Kind & { readonly policy?: UsablePolicy }

type Kind =
  | { readonly type: 'noul' }
  | {
      readonly type: 'choice'
      readonly labels: ReadonlySet<string> | undefined
      /** Labels chosen by answers that list no probabilities. */
      readonly chosen?: ReadonlySet<string>
    }
  | { readonly type: 'score'; readonly levels: number | undefined }
  | { readonly type: 'other'; readonly name: string }
  /** Every answer of the run was a refusal, so that nothing is known of the question. */
  | { readonly type: 'refusal' }

/** Shapes by question id. */
export type Shapes = ReadonlyMap<string, Shape>

/** The shapes of a request's questions. */
export const shapesOf = (
  questions: ReadonlyArray<readonly [id: string, question: RequestQuestion]>,
  policy?: AnswerPolicies,
): Shapes =>
  new Map(
    questions.map(([id, question]) => [id, addPolicy(kindOf(question), policy?.get(id))] as const),
  )

/** Adds a policy to a shape, if there is one. */
export const addPolicy = (shape: Shape, policy: UsablePolicy | undefined): Shape =>
  shape.policy === policy || policy === undefined ? shape : { ...shape, policy }

const kindOf = (question: RequestQuestion): Kind => {
  switch (question.type) {
    case 'noul':
      return { type: 'noul' }
    case 'choice':
      return {
        type: 'choice',
        labels: new Set((question.criteria ?? []).map(([label]) => label)),
      }
    case 'score':
      return { type: 'score', levels: question.criteria?.length ?? 0 }
    case 'other':
      return { type: 'other', name: question.name }
  }
}

const none = { labels: undefined, chosen: undefined }

/** Adds labels to a set, up to as many as a question can have. */
const addLabels = (
  known: ReadonlySet<string> | undefined,
  more: ReadonlyArray<string>,
): ReadonlySet<string> =>
  known !== undefined && known.size >= maxLabels
    ? known
    : new Set([...(known ?? []), ...more].slice(0, maxLabels))

/**
 * Adds what an answer reveals about its question. A run does not hold its questions, so the type is that of the
 * first answer, and the labels are all that answers list.
 */
export const learnFromAnswer = (shape: Shape | undefined, answer: Answer): Shape => {
  if (shape?.type === 'refusal') return learnFromAnswer(undefined, answer)
  if (shape !== undefined && shape.type !== answer.type) return shape
  switch (answer.type) {
    case 'noul':
      return shape ?? { type: 'noul' }
    case 'choice': {
      const { labels, chosen } = shape?.type === 'choice' ? shape : none
      if (answer.probabilities.length === 0)
        return shape !== undefined && chosen?.has(answer.choice)
          ? shape
          : { type: 'choice', labels, chosen: addLabels(chosen, [answer.choice]) }
      if (shape !== undefined && answer.probabilities.every(([label]) => labels?.has(label)))
        return shape
      const listed = answer.probabilities.map(([label]) => label)
      return { type: 'choice', labels: addLabels(labels, listed), ...(chosen && { chosen }) }
    }
    case 'score': {
      const known = shape?.type === 'score' ? (shape.levels ?? 0) : 0
      // An answer may leave out levels, so the highest one decides. Names that are no levels are passed over.
      const levels = answer.probabilities.reduce(
        (most, [name]) => (isLevel(name) ? Math.max(most, Number(name) + 1) : most),
        0,
      )
      if (shape !== undefined && !(levels > known)) return shape
      return { type: 'score', levels: levels > 0 ? levels : undefined }
    }
    case 'other':
      return shape ?? { type: 'other', name: answer.name }
    case 'refusal':
      return shape ?? { type: 'refusal' }
  }
}
