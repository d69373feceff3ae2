import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import type { AnsweringEngine } from '../../contract/engine'
import type { OpenEngine } from '../../contract/engine-settings'
import { checkEndpoint } from './check'
import { type ConnectionEnvironment, createConnection } from './connection'
import { createCheckedEngine } from './engine'
import { type ChatOptions, checkChatOptions } from './options'

/** Opens the engine that asks a language model at an OpenAI-compatible endpoint. Fails like `checkChatOptions` and `openEndpoint`. */
export const openChat: OpenEngine<AnsweringEngine> = (settings, environment) => async () => {
  const options = checkChatOptions(settings, environment.names, environment.runtime.env)
  return E.isLeft(options) ? options : openEndpoint(options.right, environment)()
}

/**
 * Opens the engine with checked options. Checks the endpoint now. If it cannot be reached yet, the first request checks it again.
 * Fails with a usage error if the endpoint cannot be used.
 */
export const openEndpoint =
  (
    options: ChatOptions,
    environment: ConnectionEnvironment,
  ): TE.TaskEither<Failure, AnsweringEngine> =>
  async () => {
    // Calls of this check are not retried: after a temporary failure, the first request checks the endpoint again.
    const connection = createConnection({ ...options, maxRetries: 0 }, environment)
    const firstCheck = await checkEndpoint(options, connection, environment.runtime.signal)()
    return E.isLeft(firstCheck) && !firstCheck.left.isTemporary
      ? E.left(usage(`engine chat: engine ${options.url}: ${firstCheck.left.message}`))
      : E.right(createCheckedEngine(firstCheck, options, environment))
  }
