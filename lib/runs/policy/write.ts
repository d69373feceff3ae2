import type { Answers } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import type { GivenPolicy, Policy } from './policy'

/** Writes the `policy` member of a document or record, in the order of the policy. R23 */
export const policyDraft = (policy: Policy, answers: Answers): Draft =>
  new Map<string, Draft>(
    [...policy].map(([id, question]) => {
      const { outcome, decision, calibrated } = question.apply(answers.get(id))
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
 * did. R23
 */
export const describeOtherModels = (
  { path, questions }: GivenPolicy,
  answered: Iterable<string>,
): string | undefined => {
  for (const { models } of questions.values()) {
    const others = [...answered].filter((model) => !models.includes(model))
    if (others.length > 0)
      return `the policy ${path} is for ${listModels(models)}, but ${listModels(others)} answered`
  }
  return undefined
}

/** Lists the first few models only, since a server may name a new one in each answer. */
export const listModels = (models: ReadonlyArray<string>): string =>
  models.length <= mostListed
    ? models.join(', ')
    : `${models.slice(0, mostListed).join(', ')} and ${models.length - mostListed} more`

const mostListed = 3
