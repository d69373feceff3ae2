import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service whose requests have the number of a row as their state, or several in a pack. Each row always gets the same answer. */
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

/** The state of a request about several rows. */
interface PackState {
  readonly rows: Readonly<Record<string, number>>
}

/** Formats the answer to a yes/no question (a `noul`) about a row. Its figures have the number of the row. */
export const formatRowAnswer = (row: number): string =>
  `{"model":"m","answers":{"q":{"type":"noul","noul":0.${row}}},"usage":{"input_tokens":${row},"output_tokens":1},"request_id":"req_${row}"}`

/** Formats the answers to a yes/no question about the rows of a pack. */
const formatPackAnswer = (rows: ReadonlyArray<number>): string => {
  const answers = rows.map((row, i) => `"r${i + 1}/q":{"type":"noul","noul":0.${row}}`)
  return `{"model":"m","answers":{${answers.join()}},"usage":{"input_tokens":${rows.length},"output_tokens":1}}`
}

/** Starts a row service. It delays an answer by 0 to 4 ms, depending on the row. So it often answers a later request first. */
export const startRowService = async (): Promise<RowService> => {
  let askedRows: number[] = []
  let notifyWaiting = (): void => undefined
  const reply = (row: number, answer: string, response: ServerResponse): void => {
    const delayMs = (row * 7) % 5
    setTimeout(() => response.end(answer), delayMs)
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { state } = JSON.parse(body) as { readonly state: number | PackState }
      const rows = typeof state === 'number' ? [state] : Object.values(state.rows)
      const [first = 0] = rows
      askedRows.push(...rows)
      notifyWaiting()
      reply(
        first,
        typeof state === 'number' ? formatRowAnswer(state) : formatPackAnswer(rows),
        response,
      )
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
