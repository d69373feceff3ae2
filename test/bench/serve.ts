import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { root } from '../support/folders'

/** A server and where it listens. */
export interface Server {
  readonly child: ChildProcess
  readonly url: string
}

/** Starts a server and waits until it listens. */
export const startServer = async (args: ReadonlyArray<string>): Promise<Server> => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface(child.stderr)) {
    const url = /listening on (http:\S+)/.exec(line)?.[1]
    if (url !== undefined) return { child, url }
  }
  throw new Error('the server did not start')
}

/** The memory that a service has in use, in MiB. */
export const residentMiB = async ({ url }: Server): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20
}
