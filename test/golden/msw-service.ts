import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { readScript, type ScriptedService } from '../../lib/replay/script'
import { testBuild } from '../support/build'

/** The address that msw answers at. No such host exists. msw sends requests to other addresses unchanged. */
const baseUrl = 'http://service.localhost'

/** Starts a service that plays a scenario without a socket: msw answers the requests of this process. */
export const startMswService = async (namedScenario: NamedScenario): Promise<ScriptedService> => {
  const { takeResponse, listProblems } = await readScript(namedScenario, testBuild.version)
  const server = setupServer(
    http.all(`${baseUrl}/*`, async ({ request }) => {
      const url = new URL(request.url)
      const { status, headers, body } = takeResponse({
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
      })
      // The Fetch standard forbids a body with these statuses, even an empty one.
      const content = [204, 304].includes(status) ? null : new Uint8Array(body)
      return new HttpResponse(content, { status, headers: Object.fromEntries(headers) })
    }),
  )
  server.listen({ onUnhandledRequest: 'bypass' })
  return {
    baseUrl,
    close: async () => {
      server.close()
      return listProblems()
    },
  }
}
