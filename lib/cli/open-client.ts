import * as E from 'fp-ts/Either'
import type { ObservedClient } from '../client/call/client'
import type { Destination } from '../client/providers/destination'
import type { Failure } from '../failure/failure'
import { type ClientContext, createClientAt, type EngineUse, findDestination } from './client'

const forQuestions: EngineUse = { purpose: 'questions' }

/** Opens the client that makes the calls of a command. Fails like `findDestination` and `openClientAt`. */
export const openClient = async (
  context: ClientContext,
): Promise<E.Either<Failure, ObservedClient>> => {
  const destination = await findDestination(context)
  return E.isLeft(destination) ? destination : openClientAt(context, destination.right)
}

/**
 * Opens the client for calls to `destination`, and the engine if one in this process answers. The engine is closed when the command
 * ends. Fails if the engine cannot be opened.
 */
export const openClientAt = async (
  context: ClientContext,
  destination: Destination,
  use: EngineUse = forQuestions,
): Promise<E.Either<Failure, ObservedClient>> => {
  const client = createClientAt(context, destination)
  if (destination.engine === undefined) return E.right(client)
  // Loaded only if it is needed, because it has the code of the service.
  const { attachEngine } = await import('./attach-engine')
  return attachEngine(context, client, destination.engine, use)
}
