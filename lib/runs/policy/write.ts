import type { Answers } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import type { AnswerPolicies, GivenPolicy, PolicyOutcome } from './policy'

/** Applies a policy to the answers of one row, in the order of the policy. */
export const applyToAll = (
  policy: AnswerPolicies,
  answers: Answers,
): ReadonlyArray<readonly [id: string, outcome: PolicyOutcome]> =>
  [...policy].map(([id, question]) => [id, question.apply(answers.get(id))])

/** Writes the `policy` member of a document or record, in the order of the policy. */
export const policyDraft = (policy: AnswerPolicies, answers: Answers): Draft =>
  outcomesDraft(applyToAll(policy, answers))

/** Writes the same from outcomes that are known already. */
export const outcomesDraft = (outcomes: ReturnType<typeof applyToAll>): Draft =>
  new Map<string, Draft>(
    outcomes.map(([id, { outcome, decision, calibrated }]) => {
      const isNumber = typeof calibrated === 'number' || calibrated === null
      return [
        id,
        {
          outcome,
          decision,
          calibrated: isNumber ? calibrated : new Map<string, Draft>(calibrated),
        },
      ]
    }),
  )

/**
 * The warning, in one line, that a model answered that the policy was not made from; `undefined` where none
 * did.
 */
export const describeOtherModels = (
  { path, questions }: GivenPolicy,
  answered: Iterable<string>,
): string | undefined => {
  for (const { models } of questions.values()) {
    const others = [...answered].filter((model) => !models.includes(model))
    if (others.length > 0)
      return `the policy ${path} is for ${listFirstModels(models)}, but ${listFirstModels(others)} answered`
  }
  return undefined
}

/** Lists the first few models only, since a server may name a new one in each answer. */
export const listFirstModels = (models: ReadonlyArray<string>): string =>
  models.length <= mostListed
    ? models.join(', ')
    : `${models.slice(0, mostListed).join(', ')} and ${models.length - mostListed} more`

const mostListed = 3
