import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service that gives each row the same answer whenever it is asked. */
export interface RowService {
  readonly url: string
  /** The rows asked since the last `forget`, as they came. */
  readonly asked: () => ReadonlyArray<number>
  readonly forget: () => void
  /** Resolves when this many rows were asked since the last `forget`. */
  readonly until: (count: number) => Promise<void>
  /** Cuts every connection and refuses new ones, and comes back at the same address. */
  readonly restart: () => Promise<void>
  readonly close: () => void
}

/** The body of an answer. */
export const answer = (row: number): string =>
  `{"model":"m","answers":{"q":{"type":"noul","noul":0.${row}}},"usage":{"input_tokens":${row},"output_tokens":1},"request_id":"req_${row}"}`

/** Starts one; later rows are often answered before earlier ones. */
export const startRowService = async (): Promise<RowService> => {
  let asked: number[] = []
  let notice = (): void => undefined
  const reply = (row: number, response: ServerResponse): void => {
    setTimeout(() => response.end(answer(row)), (row * 7) % 5)
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { state } = JSON.parse(body) as { readonly state: number }
      asked.push(state)
      notice()
      reply(state, response)
    })
  })
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => asked,
    forget: () => {
      asked = []
    },
    until: (count) =>
      new Promise((resolve) => {
        notice = () => {
          if (asked.length >= count) resolve()
        }
        notice()
      }),
    restart: async () => {
      stop()
      await once(server, 'close')
      await listen(port)
    },
    close: stop,
  }
}
