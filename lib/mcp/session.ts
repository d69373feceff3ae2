import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { permute } from '../ask/permute'
import type { Plan } from '../batch/ask-row'
import type { Template } from '../batch/questions'
import type { ClientEnv } from '../client/env'
import type { Failure } from '../failure/failure'
import { checkRequirements, type Requirement } from '../gate/requirements'
import { shapesOf } from '../gate/shape'
import { type GivenPolicy, isFor } from '../policy/policy'
import { otherModels } from '../policy/read'
import { questionsDigest } from '../run/digest'
import type { Logger } from '../runtime/log'
import type { Runtime } from '../runtime/runtime'
import type { Span, Tracer } from '../runtime/trace'
import type { Redact } from '../text/redact'

/** What all tool calls of a session have in common. */
export interface Session {
  readonly runtime: Runtime
  readonly client: ClientEnv
  readonly tracer: Tracer
  readonly log: Logger
  readonly redact: Redact
  /** The version that the client is told. */
  readonly version: string
  /** `--model` was given, so that the model of a call's arguments does not count. */
  readonly modelIsFixed: boolean
  readonly requirements: ReadonlyArray<Requirement>
  readonly policy: GivenPolicy | undefined
}

/** One tool call under way. */
export interface Call {
  /** Fired when the client cancels the call or ends the session. */
  readonly signal: AbortSignal
  readonly span: Span
  /** Tells the client how many rows have a record, where it wants to know. */
  readonly progress: (rows: number, of: number) => void
}

/**
 * What is the same for every row of a call: its questions, the policy if it was made from these, and the
 * requirements of the session that are about them. Fails where one of these can never hold. R15, R26
 */
export const planOf = (
  { modelIsFixed, requirements: all, policy: given }: Session,
  template: Template,
): E.Either<Failure, Plan> => {
  const questionsSha256 = questionsDigest(template.questions)
  const policy = given && isFor(given, questionsSha256) ? given.questions : undefined
  const shapes = shapesOf(template.questions, policy)
  const requirements = all.filter(({ paths }) =>
    paths.every(
      ({ id, field }) => shapes.has(id) && (policy !== undefined || !byPolicy.has(field)),
    ),
  )
  return pipe(
    checkRequirements(requirements, shapes),
    E.chain(() => permute(template.questions, undefined)),
    E.map((permuted) => ({
      ...{ template, permuted, requirements, shapes, policy, questionsSha256 },
      model: modelIsFixed ? undefined : template.model,
      withState: false,
    })),
  )
}

/** The fields that only a policy gives. R23 */
const byPolicy: ReadonlySet<string> = new Set(['outcome', 'calibrated'])

/** Logs that other models answered than a policy was made from. R23 */
export const noteModels = (
  { policy, log }: Session,
  plan: Plan,
  models: Iterable<string>,
): void => {
  const note = policy && plan.policy && otherModels(policy, models)
  if (note !== undefined) log.warning(note)
}
