import type { Answers } from '../codec/answer'
import { type Draft, Entries } from '../json/draft'
import type { Policy } from './policy'

/** Writes the `policy` member of a document or record, in the order of the policy. R23 */
export const policyDraft = (policy: Policy, answers: Answers): Draft =>
  new Entries(
    [...policy].map(([id, question]) => {
      const { outcome, decision, calibrated } = question.apply(answers.get(id))
      const isNumber = typeof calibrated === 'number' || calibrated === null
      return [
        id,
        { outcome, decision, calibrated: isNumber ? calibrated : new Entries(calibrated) },
      ]
    }),
  )
