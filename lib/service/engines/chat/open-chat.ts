import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import { messageWithoutProvider } from '../../../failure/report'
import type { AnsweringEngine } from '../../contract/engine'
import type { EngineEnvironment, OpenEngine } from '../../contract/engine-settings'
import { checkEndpoint, defaultForm, formatIds } from './check'
import { type ConnectionEnvironment, createConnection } from './connection'
import { createCheckedEngine, createModelLister } from './engine'
import { type ChatOptions, checkChatOptions } from './options'

/**
 * Opens the engine that asks a language model at an OpenAI-compatible endpoint. Fails like `checkChatOptions` and `openEndpoint`, and
 * with a usage error that lists the models of the endpoint if the settings name none.
 */
export const openChat: OpenEngine<AnsweringEngine> = (settings, environment) => async () => {
  const { names, runtime, purpose } = environment
  const checked = checkChatOptions(settings, names, runtime.env)
  if (E.isLeft(checked)) return checked
  const options = checked.right
  if (options.model !== '' || purpose === 'models') return openEndpoint(options, environment)()
  const connection = createConnection({ ...options, maxRetries: 0 }, environment)
  const ids = await connection.listModels(runtime)()
  const list = E.isRight(ids) ? `: the server lists ${formatIds(ids.right)}` : ''
  return E.left(usage(`${names.choice} needs ${names.nameOf('model')}${list}`))
}

/**
 * Opens the engine with checked options, and checks the endpoint unless only its models are listed. `svc serve` starts even if the
 * endpoint cannot be reached yet: the first request then repeats the check. Fails if the endpoint cannot be used.
 */
export const openEndpoint =
  (
    options: ChatOptions,
    environment: ConnectionEnvironment & Pick<EngineEnvironment, 'purpose'>,
  ): TE.TaskEither<Failure, AnsweringEngine> =>
  async () => {
    const { purpose, runtime } = environment
    const isService = purpose === 'service'
    // A service does not retry this check: after a temporary failure, its first request repeats the check.
    const maxRetries = isService ? 0 : options.maxRetries
    const connection = createConnection({ ...options, maxRetries }, environment)
    const firstCheck =
      purpose === 'models'
        ? E.right(defaultForm)
        : await checkEndpoint(options, connection, runtime.signal)()
    const engine = createCheckedEngine(firstCheck, options, environment)
    // A service has only this model. A command shows all models of the endpoint.
    if (E.isRight(firstCheck))
      return E.right(isService ? engine : { ...engine, listModels: createModelLister(connection) })
    const { failure, isTemporary } = firstCheck.left
    if (!isService) return E.left(failure)
    return isTemporary
      ? E.right(engine)
      : E.left(usage(`engine chat: engine ${options.url}: ${messageWithoutProvider(failure)}`))
  }
