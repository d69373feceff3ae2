import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { Judging } from '../batch/ask-row'
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
 * What the answers to a call are held against: the policy of the session if it was made from these questions, and the
 * requirements that are about them. Fails where one of these can never hold. R15, R26
 */
export const judgingOf = (
  { requirements: all, policy: given }: Session,
  { questions }: Template,
): E.Either<Failure, Judging> => {
  const policy = given && isFor(given, questionsDigest(questions)) ? given.questions : undefined
  const shapes = shapesOf(questions, policy)
  const requirements = all.filter(({ paths }) =>
    paths.every(
      ({ id, field }) => shapes.has(id) && (policy !== undefined || !byPolicy.has(field)),
    ),
  )
  return pipe(
    checkRequirements(requirements, shapes),
    E.map(() => ({ requirements, shapes, policy })),
  )
}

/** The model that a call asks; that of the command line, or the usual one, where there is none. */
export const modelOf = ({ modelIsFixed }: Session, { model }: Template): string | undefined =>
  modelIsFixed ? undefined : model

/** The fields that only a policy gives. R23 */
const byPolicy: ReadonlySet<string> = new Set(['outcome', 'calibrated'])

/** Logs that other models answered than a policy was made from. R23 */
export const noteModels = (
  { policy, log }: Session,
  judging: Judging,
  models: Iterable<string>,
): void => {
  const note = policy && judging.policy && otherModels(policy, models)
  if (note !== undefined) log.warning(note)
}
