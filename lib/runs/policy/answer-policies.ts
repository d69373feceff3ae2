import * as TE from 'fp-ts/TaskEither'
import type { Answers } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import type { AskRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import type { Files } from '../../runtime/runtime'
import type { AnswerPolicies, LoadedPolicy, PolicyOutcome } from './policy'

/**
 * Reads the policy of `--policy`; `undefined` without the flag. If `questions` are known, checks that the policy was derived for
 * them. Fails with a usage error, also if `--pin` is set without `--policy`. Loads the code that decodes policies only if needed.
 */
export const readPolicyFlag = (
  { policy: path, pin }: { readonly policy: string | undefined; readonly pin: boolean },
  files: Pick<Files, 'read'>,
  questions?: AskRequest['questions'],
): TE.TaskEither<Failure, LoadedPolicy | undefined> => {
  if (path === undefined) return pin ? TE.left(usage('--pin needs --policy')) : TE.right(undefined)
  return async () => {
    const { loadPolicy } = await import('./decode')
    return loadPolicy({ path, pin }, files, questions)
  }
}

/**
 * Applies policies to the answers of one row: each accepts the answer to its question, or sends it to review by a person. The outcomes
 * are in the order of the policies.
 */
export const applyPolicies = (
  policies: AnswerPolicies,
  answers: Answers,
): ReadonlyArray<readonly [id: string, outcome: PolicyOutcome]> =>
  [...policies].map(([id, policy]) => [id, policy.apply(answers.get(id))])

/** Encodes the `policy` member of a document or record. */
export const encodePolicyOutcomes = (outcomes: ReturnType<typeof applyPolicies>): Draft =>
  new Map<string, Draft>(
    outcomes.map(([id, { outcome, decision, calibrated }]) => {
      const isNumberOrNull = typeof calibrated === 'number' || calibrated === null
      return [
        id,
        {
          outcome,
          decision,
          calibrated: isNumberOrNull ? calibrated : new Map<string, Draft>(calibrated),
        },
      ]
    }),
  )

/**
 * Returns a warning about models that answered although the policy of a question was not derived from them; `undefined` if there are
 * none.
 */
export const describeOtherModels = (
  { path, policies }: LoadedPolicy,
  answeringModels: Iterable<string>,
): string | undefined => {
  // The iterable may be an iterator, which can be read only once.
  const answering = [...answeringModels]
  for (const { models } of policies.values()) {
    const otherModels = answering.filter((model) => !models.includes(model))
    if (otherModels.length > 0)
      return `the policy ${path} is for ${listFirstModels(models)}, but ${listFirstModels(otherModels)} answered`
  }
  return undefined
}

const maxListedModels = 3

/** Lists the first three models, because a service may return a new model name in each answer. */
export const listFirstModels = (models: ReadonlyArray<string>): string =>
  models.length <= maxListedModels
    ? models.join(', ')
    : `${models.slice(0, maxListedModels).join(', ')} and ${models.length - maxListedModels} more`
