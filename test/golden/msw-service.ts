import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { answerBody, answerHeaders } from './exchange'
import type { Named } from './scenario'
import { type ScriptedService, script } from './script'

/** An address that exists nowhere: a request to any other goes out for real. */
const address = 'http://service.localhost'

/** Answers a scenario inside this process: no socket, no real address. */
export const mswService = (named: Named): ScriptedService => {
  const { next, problems } = script(named)
  const server = setupServer(
    http.all(`${address}/*`, async ({ request }) => {
      const url = new URL(request.url)
      const answer = next({
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: Object.fromEntries(request.headers),
        body: Buffer.from(await request.arrayBuffer()).toString(),
      })
      const status = answer.status ?? 200
      const body = [204, 304].includes(status) ? null : new Uint8Array(answerBody(named, answer))
      return new HttpResponse(body, { status, headers: answerHeaders(answer) })
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
