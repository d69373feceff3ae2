import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import { toMillis } from '../text/duration'
import type { Logger } from '../tracing/log'
import type { AnsweringEngine } from './contract/engine'
import type { EngineEnvironment } from './contract/engine-settings'
import {
  type AnsweringEngineName,
  answeringEngines,
  type ChosenSettings,
  type EngineRow,
  openEngine,
} from './engines/engines'
import { type InProcessService, startInProcess } from './in-process'

/** The parts of the program that an engine and its service use. */
export interface InProcessEnvironment extends EngineEnvironment {
  readonly log: Logger
}

/**
 * Opens an engine, and starts a service in this process that asks it. The time limit in the settings is that of one attempt to ask a
 * server. For an engine without a server it is that of an answer. Fails like `openEngine`.
 */
export const openInProcess = (
  name: AnsweringEngineName,
  chosen: ChosenSettings,
  environment: InProcessEnvironment,
): TE.TaskEither<Failure, InProcessService> => {
  const row: EngineRow<AnsweringEngine> = answeringEngines[name]
  const asksServer = row.uses.includes('url')
  const options = {
    answerTimeoutMs: asksServer ? 0 : toMillis(chosen.settings.timeout),
    takesOneRequest: !asksServer,
  }
  const { runtime, tracer, log } = environment
  const serviceEnvironment = { clock: runtime.clock, tracer, log }
  return pipe(
    openEngine(row, chosen, environment),
    TE.map((engine) => startInProcess(engine, options, serviceEnvironment)),
  )
}
