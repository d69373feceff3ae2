import type * as E from 'fp-ts/Either'
import type { ObservedClient } from '../client/call/client'
import type { Template } from '../codec/request'
import type { Failure } from '../failure/failure'
import type { JudgingRules } from '../runs/batch/plan'
import type { GateRequirement } from '../runs/gate/requirements'
import { describeOtherModels } from '../runs/policy/answer-policies'
import { isPolicyFor, type LoadedPolicy } from '../runs/policy/policy'
import { digestQuestions } from '../runs/record/record'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import type { Redact } from '../text/secret'
import type { Logger } from '../tracing/log'

/** The state and settings of a session: all tool calls of one host, which is the program that runs the agent. */
export interface Session {
  readonly runtime: Runtime
  readonly log: Logger
  readonly tracer: Tracer
  readonly redact: Redact
  /** The client of the service, or the failure of every call if there is no key. */
  readonly client: E.Either<Failure, ObservedClient>
  /** The variable that the key comes from; `undefined` if no key is sent. */
  readonly keySource: string | undefined
  /** The version of svc, which the host may show to the user. */
  readonly version: string
  /** `true` if `--model` overrides the model in a call's arguments. */
  readonly overridesModel: boolean
  /** The requirements of `--require`: expressions that the answers must fulfil. */
  readonly requirements: ReadonlyArray<GateRequirement>
  /** The policy of `--policy`: for each question, which answers are accepted and which a person must review. */
  readonly policy: LoadedPolicy | undefined
  /** The records of the last batch that did not fit into its result. Each batch that returns a result replaces them. */
  overflow: Overflow
}

/** The records that did not fit into the result of a batch. The next batch reuses their answers if it names the same model. */
interface Overflow {
  readonly lines: ReadonlyArray<Buffer>
  /** The model in the arguments of the batch; `undefined` if `--model` or the default applied. */
  readonly model: string | undefined
}

/** A tool call in progress. */
export interface ToolCall {
  /** The client. Its signal fires when the host cancels the call or ends the session. */
  readonly client: ObservedClient & { readonly signal: AbortSignal }
  /** Reports progress to the host, if the host requested it: the number of rows with a record, and of all rows. */
  readonly reportProgress: (done: number, total: number) => void
}

/** The fields that exist only with a policy. */
const policyFields: ReadonlySet<string> = new Set(['outcome', 'calibrated'])

/**
 * Selects the policy and the requirements for the answers to a call: the session's policy if it was made for these questions,
 * and the requirements whose fields all exist in the answers.
 */
export const selectRequirementsAndPolicy = (
  session: Session,
  template: Template,
): Pick<JudgingRules, 'requirements' | 'policies'> => {
  const { questions } = template
  const { policy } = session
  const applies = policy !== undefined && isPolicyFor(policy, digestQuestions(questions))
  const policies = applies ? policy.policies : undefined
  const ids = new Set(questions.map(([id]) => id))
  const hasField = (id: string, field: string): boolean =>
    ids.has(id) && (policies !== undefined || !policyFields.has(field))
  const requirements = session.requirements.filter(({ paths }) =>
    paths.every(({ id, field }) => hasField(id, field)),
  )
  return { requirements, policies }
}

/** Returns the model in the arguments of a call; `undefined` if `--model` or the default applies. */
export const findArgumentModel = (
  { overridesModel }: Session,
  { model }: Template,
): string | undefined => (overridesModel ? undefined : model)

/** Logs a warning if the policy was made from the answers of models other than `models`. The log goes to stderr. */
export const warnOfOtherModels = (
  { policy, log }: Session,
  rules: JudgingRules,
  models: Iterable<string>,
): void => {
  // `rules.policies` is `undefined` if the policy was made for other questions.
  if (policy === undefined || rules.policies === undefined) return
  const warning = describeOtherModels(policy, models)
  if (warning !== undefined) log.warning(warning)
}
