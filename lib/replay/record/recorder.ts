import { createHash } from 'node:crypto'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Redact } from '../../text/secret'
import { compactJson } from '../decode-scenario'
import { createLinkFreeFile, replaceLinkFreeFile } from '../link-free-files'
import {
  type ClaimedScenario,
  claimScenario,
  type ObservedExchange,
  redactExchange,
  writeBodies,
} from './recorded-files'

/** Writes exchanges, each a request and its response, as scenarios: folders that `svc serve --fixtures` can play. */
export interface Recorder {
  /** Queues an exchange to be written. If a file cannot be written, the recording ends. */
  readonly record: (exchange: ObservedExchange) => void
  /** Resolves once everything has been written. */
  readonly settle: () => Promise<void>
}

/** A scenario of this recording, with the exchanges written so far. */
interface OpenScenario extends ClaimedScenario {
  readonly exchanges: Array<Readonly<Record<string, unknown>>>
}

interface RecorderOptions {
  readonly folder: string
  /** Redacts secrets in what is written. */
  readonly redact: Redact
  /** Is called once, with the reason, if a file cannot be written. */
  readonly onEnd: (reason: string) => void
}

/**
 * Creates a recorder that writes scenarios below `<folder>/fixtures/recorded` and overwrites none. A repeated request adds
 * its response to the scenario of the first one.
 */
export const createRecorder = ({ folder, redact, onEnd }: RecorderOptions): Recorder => {
  /** The scenarios of this recording by the hash of their request. */
  const scenarios = new Map<string, OpenScenario>()
  /** Resolves once all exchanges queued so far are written. They are written one after another. */
  let pending: Promise<void> = Promise.resolve()
  let hasEnded = false
  const writeToScenario = async (exchange: ObservedExchange): Promise<void> => {
    const key = hashRequest(exchange)
    const scenario = scenarios.get(key) ?? { ...claimScenario(folder, exchange), exchanges: [] }
    scenarios.set(key, scenario)
    await writeExchange(folder, scenario, exchange)
  }
  const writeUnlessEnded = async (exchange: ObservedExchange): Promise<void> => {
    if (hasEnded) return
    try {
      await writeToScenario(exchange)
    } catch (error) {
      hasEnded = true
      onEnd(reasonOf(error))
    }
  }
  return {
    record: (exchange) => {
      pending = pending.then(() => writeUnlessEnded(redactExchange(exchange, redact)))
    },
    settle: () => pending,
  }
}

/** Computes the hash of a request. Whitespace in its JSON does not count. */
const hashRequest = ({ method, path, requestBody }: ObservedExchange): string =>
  createHash('sha256')
    .update(`${method} ${path} ${compactJson(requestBody)}`)
    .digest('hex')

/** Adds an exchange to a scenario below `root`. */
const writeExchange = async (
  root: string,
  { name, title, exchanges }: OpenScenario,
  exchange: ObservedExchange,
): Promise<void> => {
  const index = exchanges.length
  const folder = `fixtures/${name}`
  exchanges.push(
    await writeBodies(exchange, {
      create: (path, data) => createLinkFreeFile(root, `${folder}/${path}`, data),
      index,
      // All exchanges of a scenario have the same request, which is written only once.
      requestFile: index === 0 ? undefined : 'request.json',
    }),
  )
  const text = `${JSON.stringify({ version: 1, title, exchanges }, undefined, 2)}\n`
  replaceLinkFreeFile(root, `${folder}/scenario.json`, text)
}
