import type { Answer } from '../../codec/answer'
import { isLevelIndex, maxLabels, type RequestQuestion } from '../../codec/question'
import type { AnswerPolicies, UsablePolicy } from '../policy/policy'

/** The facts about a question that svc needs to check requirements: its type, its labels or levels, and the policy for its answers. */
export type QuestionShape = QuestionKind & { readonly policy?: ShapePolicy }

/** The members of a policy that requirements use. */
export type ShapePolicy = Pick<UsablePolicy, 'map' | 'cut' | 'apply'>

/** The type of a question, and its labels or number of levels, which are `undefined` if they are unknown. */
type QuestionKind =
  /** A yes/no question. */
  | { readonly type: 'noul' }
  | {
      readonly type: 'choice'
      readonly labels: ReadonlySet<string> | undefined
      /** Labels that were chosen in answers without probabilities. */
      readonly chosen?: ReadonlySet<string> | undefined
    }
  | { readonly type: 'score'; readonly levelCount: number | undefined }
  /** A type that svc does not know, by its name. */
  | { readonly type: 'other'; readonly name: string }
  /** Every answer of the run was a refusal, which reveals nothing about the question, or there was none. */
  | { readonly type: 'refusal' }

/** Shapes by question id. */
export type QuestionShapes = ReadonlyMap<string, QuestionShape>

/** Returns the shapes of a request's questions. */
export const createShapes = (
  questions: ReadonlyArray<readonly [id: string, question: RequestQuestion]>,
  policies?: AnswerPolicies,
): QuestionShapes =>
  new Map(
    questions.map(
      ([id, question]) => [id, addPolicy(findKind(question), policies?.get(id))] as const,
    ),
  )

/** Adds the policy for the answers. Returns `shape` itself if it already has this policy, or if `policy` is `undefined`. */
export const addPolicy = (shape: QuestionShape, policy: ShapePolicy | undefined): QuestionShape =>
  shape.policy === policy || policy === undefined ? shape : { ...shape, policy }

const findKind = (question: RequestQuestion): QuestionKind => {
  switch (question.type) {
    case 'noul':
      return { type: 'noul' }
    case 'choice':
      return {
        type: 'choice',
        labels: new Set((question.criteria ?? []).map(([label]) => label)),
      }
    case 'score':
      return { type: 'score', levelCount: question.criteria?.length ?? 0 }
    case 'other':
      return { type: 'other', name: question.name }
  }
}

/**
 * Learns the shape of a question from an answer, because a run does not contain its questions. The type is that of the first
 * answer that is not a refusal. The labels are those in all answers. Returns `shape` itself if the answer reveals nothing new, and
 * otherwise a new shape without a policy.
 */
export const learnFromAnswer = (
  shape: QuestionShape | undefined,
  answer: Answer,
): QuestionShape => {
  const known = shape?.type === 'refusal' ? undefined : shape
  if (known !== undefined && known.type !== answer.type) return known
  switch (answer.type) {
    case 'noul':
      return known ?? { type: 'noul' }
    case 'choice':
      return learnLabels(known?.type === 'choice' ? known : undefined, answer)
    case 'score':
      return learnLevels(known?.type === 'score' ? known : undefined, answer)
    case 'other':
      return known ?? { type: 'other', name: answer.name }
    case 'refusal':
      return known ?? { type: 'refusal' }
  }
}

type ShapeOf<Type extends QuestionShape['type']> = Extract<QuestionShape, { readonly type: Type }>
type AnswerOf<Type extends Answer['type']> = Extract<Answer, { readonly type: Type }>

/** Adds the labels with a probability to `labels`. If the answer has no probabilities, adds its choice to `chosen`. */
const learnLabels = (
  known: ShapeOf<'choice'> | undefined,
  { choice, probabilities }: AnswerOf<'choice'>,
): QuestionShape => {
  const labels = known?.labels
  const chosen = known?.chosen
  if (probabilities.length === 0) {
    if (known !== undefined && chosen?.has(choice)) return known
    return { type: 'choice', labels, chosen: addLabels(chosen, [choice]) }
  }
  const listedLabels = probabilities.map(([label]) => label)
  if (known !== undefined && listedLabels.every((label) => labels?.has(label))) return known
  return { type: 'choice', labels: addLabels(labels, listedLabels), chosen }
}

/** Adds labels to a set. Ignores labels beyond the maximum number of labels of a question. */
const addLabels = (
  knownLabels: ReadonlySet<string> | undefined,
  newLabels: ReadonlyArray<string>,
): ReadonlySet<string> =>
  knownLabels !== undefined && knownLabels.size >= maxLabels
    ? knownLabels
    : new Set([...(knownLabels ?? []), ...newLabels].slice(0, maxLabels))

/** Derives the number of levels from the highest level, because an answer may omit levels. Ignores invalid levels. */
const learnLevels = (
  known: ShapeOf<'score'> | undefined,
  { probabilities }: AnswerOf<'score'>,
): QuestionShape => {
  let levelCount = 0
  for (const [name] of probabilities)
    if (isLevelIndex(name)) levelCount = Math.max(levelCount, Number(name) + 1)
  if (known !== undefined && levelCount <= (known.levelCount ?? 0)) return known
  return { type: 'score', levelCount: levelCount > 0 ? levelCount : undefined }
}
