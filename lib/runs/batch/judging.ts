import type { Answers } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import { gateDraft } from '../gate/evaluate'
import { judge, type Requirement } from '../gate/requirements'
import type { Shapes } from '../gate/shape'
import type { Policy } from '../policy/policy'
import { applyToAll, outcomesDraft } from '../policy/write'

/** What answers are judged by: requirements and a policy. */
export interface Judging {
  readonly requirements: ReadonlyArray<Requirement>
  readonly shapes: Shapes
  /** The policy that is applied to each answer. */
  readonly policy: Policy | undefined
}

/** What a policy says of one question's answer, by question id. */
export type Outcomes = ReadonlyArray<readonly [id: string, outcome: 'accept' | 'review']>

/** The judgement on the answers of one row. */
export interface Judgement {
  /** Whether all requirements hold; `undefined` where there are none. */
  readonly passed: boolean | undefined
  /** Empty without a policy. */
  readonly outcomes: Outcomes
  /** The members of a record that say so: `gate` and `policy`. */
  readonly members: { readonly gate?: Draft; readonly policy?: Draft }
}

/** Judges the answers of one row by the requirements and the policy. */
export const judgeAnswers = (
  { requirements, shapes, policy }: Judging,
  answers: Answers,
): Judgement => {
  const gate = requirements.length > 0 ? judge(requirements, shapes, answers) : undefined
  const outcomes = policy === undefined ? [] : applyToAll(policy, answers)
  return {
    passed: gate?.passed,
    outcomes: outcomes.map(([id, { outcome }]) => [id, outcome]),
    members: {
      ...(gate && { gate: gateDraft(gate) }),
      ...(policy && { policy: outcomesDraft(outcomes) }),
    },
  }
}
