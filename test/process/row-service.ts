import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service whose requests have the number of a row as their state. Each row always gets the same answer. */
export interface RowService {
  readonly url: string
  /** Returns the requested rows since the last `forgetRows`, in order of arrival. */
  readonly askedRows: () => ReadonlyArray<number>
  readonly forgetRows: () => void
  /** Resolves once this many rows were requested since the last `forgetRows`. Only the last call can wait. */
  readonly waitForRows: (count: number) => Promise<void>
  /** Breaks every connection, and then listens at the same address again. */
  readonly restart: () => Promise<void>
  readonly close: () => void
}

/** Formats the answer to a yes/no question (a `noul`) about a row. Its figures have the number of the row. */
export const formatRowAnswer = (row: number): string =>
  `{"model":"m","answers":{"q":{"type":"noul","noul":0.${row}}},"usage":{"input_tokens":${row},"output_tokens":1},"request_id":"req_${row}"}`

/** Starts a row service. It delays an answer by 0 to 4 ms, depending on the row. So it often answers a later request first. */
export const startRowService = async (): Promise<RowService> => {
  let askedRows: number[] = []
  let notifyWaiting = (): void => undefined
  const reply = (row: number, response: ServerResponse): void => {
    const delayMs = (row * 7) % 5
    setTimeout(() => response.end(formatRowAnswer(row)), delayMs)
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { state } = JSON.parse(body) as { readonly state: number }
      askedRows.push(state)
      notifyWaiting()
      reply(state, response)
    })
  })
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    askedRows: () => askedRows,
    forgetRows: () => {
      askedRows = []
    },
    waitForRows: (count) =>
      new Promise((resolve) => {
        notifyWaiting = () => {
          if (askedRows.length >= count) resolve()
        }
        notifyWaiting()
      }),
    restart: async () => {
      close()
      await once(server, 'close')
      await listen(port)
    },
    close,
  }
}
