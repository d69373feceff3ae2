import type * as E from 'fp-ts/Either'
import type { ObservedClient } from '../client/call/call-context'
import type { Template } from '../codec/request'
import type { Failure } from '../failure/failure'
import type { Redact } from '../failure/text/redact'
import type { Judging } from '../runs/batch/judge-answers'
import type { GateRequirement } from '../runs/gate/requirements'
import { type GivenPolicy, isFor } from '../runs/policy/policy'
import { describeOtherModels } from '../runs/policy/write'
import { digestQuestions } from '../runs/record/record'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import type { Logger } from '../tracing/log'

/** What all tool calls of a session share. */
export interface Session {
  readonly runtime: Runtime
  readonly log: Logger
  readonly tracer: Tracer
  readonly redact: Redact
  /** The client of the service, or why every call fails: there is no key. */
  readonly client: E.Either<Failure, ObservedClient>
  /** The variable that the key comes from; `undefined` if no key is sent. */
  readonly keySource: string | undefined
  /** The version of svc, which the host may show. */
  readonly version: string
  /** Whether `--model` was given, which overrides the model in a call's arguments. */
  readonly modelIsFixed: boolean
  readonly requirements: ReadonlyArray<GateRequirement>
  readonly policy: GivenPolicy | undefined
  /** The records of the last batch that did not fit into its result. The next batch uses their answers. */
  leftOver: { readonly lines: ReadonlyArray<Buffer>; readonly model: string | undefined }
}

/** A tool call in progress. */
export interface ToolCall {
  /** The client. Its signal fires when the host cancels the call or ends the session. */
  readonly client: ObservedClient & { readonly signal: AbortSignal }
  /** Reports to the host how many rows have a record, if the host asked for progress. */
  readonly progress: (rows: number, of: number) => void
}

/**
 * Selects what the answers to a call are judged by: the session's policy if it was made for these questions, and the
 * requirements about them.
 */
export const selectJudges = (
  { requirements: all, policy: given }: Session,
  { questions }: Template,
): Pick<Judging, 'requirements' | 'policy'> => {
  const policy = given && isFor(given, digestQuestions(questions)) ? given.questions : undefined
  const ids = new Set(questions.map(([id]) => id))
  const requirements = all.filter(({ paths }) =>
    paths.every(({ id, field }) => ids.has(id) && (policy !== undefined || !byPolicy.has(field))),
  )
  return { requirements, policy }
}

/** The model of a call; `undefined` means that of the command line or the default. */
export const modelOf = ({ modelIsFixed }: Session, { model }: Template): string | undefined =>
  modelIsFixed ? undefined : model

/** The fields that exist only with a policy. */
const byPolicy: ReadonlySet<string> = new Set(['outcome', 'calibrated'])

/** Logs a warning if a model answered that the policy was not made from. */
export const noteModels = (
  { policy, log }: Session,
  judging: Judging,
  models: Iterable<string>,
): void => {
  const note = policy && judging.policy && describeOtherModels(policy, models)
  if (note !== undefined) log.warning(note)
}
