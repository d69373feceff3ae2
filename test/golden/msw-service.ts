import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { readScript, type ScriptedService } from '../../lib/replay/script'
import { testBuild } from '../support/build'

/** An address that exists nowhere: a request to any other goes out for real. */
const address = 'http://service.localhost'

/** Answers a scenario inside this process: no socket, no real address. */
export const startMswService = async (named: NamedScenario): Promise<ScriptedService> => {
  const { next, problems } = await readScript(named, testBuild.version)
  const server = setupServer(
    http.all(`${address}/*`, async ({ request }) => {
      const url = new URL(request.url)
      const { status, headers, body } = next({
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
      })
      const content = [204, 304].includes(status) ? null : new Uint8Array(body)
      return new HttpResponse(content, { status, headers: Object.fromEntries(headers) })
    }),
  )
  server.listen({ onUnhandledRequest: 'bypass' })
  return {
    baseUrl: address,
    close: async () => {
      server.close()
      return problems()
    },
  }
}
