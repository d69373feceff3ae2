import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { nodeClock } from '../runtime/node/clock'
import type { Signal } from './decode-scenario'
import { playResponse } from './play'
import type { NamedScenario } from './scenarios'
import { readScript, type ScriptedService } from './script'

/**
 * Starts a service on a free port of 127.0.0.1 that plays a scenario, including its network faults. Calls `interrupt` if an
 * exchange sends a signal to the program.
 */
export const startSocketService = async (
  namedScenario: NamedScenario,
  version: string,
  interrupt: (signal: Signal) => void,
): Promise<ScriptedService> => {
  const { takeResponse, listProblems } = await readScript(namedScenario, version)
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    // Node sets the method and the URL of every request to a server.
    const played = takeResponse({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: Object.fromEntries(headers),
      body: await buffer(request),
    })
    playResponse(played, response, Object.fromEntries(played.headers), nodeClock)
    if (played.signal !== undefined) interrupt(played.signal)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  // 0 lets the system choose a free port. After `unref`, the service does not keep this program alive.
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      return listProblems()
    },
  }
}
