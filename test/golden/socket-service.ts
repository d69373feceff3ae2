import type { IncomingMessage, ServerResponse } from 'node:http'
import { playResponse } from '../../lib/replay/play'
import { nodeClock } from '../../lib/runtime/node/clock'
import { bodyOf, httpServer } from '../support/servers'
import type { Named } from './scenario'
import { type ScriptedService, scriptOf } from './script'

/** What a scenario can do to the program while it waits for an answer. */
export type Interrupt = (signal: 'SIGINT' | 'SIGTERM') => void

/**
 * Answers a scenario on a real socket of its own. The bundle runs against this rather than
 * against interception inside the child: what travels is then what a service would see, faults
 * are the network's own, and nothing is loaded into the program under test.
 */
export const socketService = async (
  named: Named,
  interrupt: Interrupt,
): Promise<ScriptedService> => {
  const { next, problems } = await scriptOf(named)
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const played = next({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: Object.fromEntries(headers),
      body: await bodyOf(request),
    })
    playResponse(played, response, Object.fromEntries(played.headers), nodeClock)
    if (played.signal !== undefined) interrupt(played.signal)
  }
  const { url, close } = await httpServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return { baseUrl: url, close: () => close().then(problems) }
}
