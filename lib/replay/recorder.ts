import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import type { Redact } from '../text/secret'
import { compactJson } from './decode-scenario'
import {
  fileMode,
  findLastNumber,
  joinRecordedFolder,
  nameScenario,
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
interface OpenScenario {
  readonly folder: string
  readonly title: string
  readonly exchanges: Array<Readonly<Record<string, unknown>>>
}

export type RecorderFiles = Pick<Files, 'list' | 'makeFolder' | 'create' | 'replace'>

interface RecorderOptions {
  readonly folder: string
  readonly files: RecorderFiles
  /** Redacts secrets in what is written. */
  readonly redact: Redact
  /** Is called once, with the reason, if a file cannot be written. */
  readonly onEnd: (reason: string) => void
}

/**
 * Creates a recorder that writes scenarios below `<folder>/fixtures/recorded` and overwrites none. A repeated request adds
 * its response to the scenario of the first one.
 */
export const createRecorder = ({ folder, files, redact, onEnd }: RecorderOptions): Recorder => {
  const recordedFolder = joinRecordedFolder(folder)
  /** The scenarios of this recording by the hash of their request. */
  const scenarios = new Map<string, OpenScenario>()
  /** Resolves once all exchanges queued so far are written. They are written one after another. */
  let pending: Promise<void> = Promise.resolve()
  /** The number of the last scenario; `undefined` before the first one of this recording. */
  let lastNumber: number | undefined
  let hasEnded = false
  const startScenario = async (exchange: ObservedExchange): Promise<OpenScenario> => {
    lastNumber = 1 + (lastNumber ?? (await findLastNumber(recordedFolder, files)))
    const { name, title } = nameScenario(lastNumber, exchange)
    const scenario = { folder: join(recordedFolder, name), title, exchanges: [] }
    try {
      await writeExchange(scenario, exchange, files)
      return scenario
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      // Another run has recorded a scenario with this number meanwhile. The next call takes the next number.
      return startScenario(exchange)
    }
  }
  const writeToScenario = async (exchange: ObservedExchange): Promise<void> => {
    const key = hashRequest(exchange)
    const scenario = scenarios.get(key)
    if (scenario === undefined) scenarios.set(key, await startScenario(exchange))
    else await writeExchange(scenario, exchange, files)
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

/** Adds an exchange to a scenario. Rejects with `EEXIST` if another run has written a file of a new scenario. */
const writeExchange = async (
  { folder, title, exchanges }: OpenScenario,
  exchange: ObservedExchange,
  files: RecorderFiles,
): Promise<void> => {
  const isNew = exchanges.length === 0
  if (isNew) await files.makeFolder(folder)
  const index = exchanges.length
  // All exchanges of a scenario have the same request, which is written only once.
  const requestFile = isNew ? undefined : 'request.json'
  exchanges.push(await writeBodies(exchange, { folder, index, requestFile }, files))
  const path = join(folder, 'scenario.json')
  const text = `${JSON.stringify({ version: 1, title, exchanges }, undefined, 2)}\n`
  if (isNew) await files.create(path, text, fileMode)
  else await files.replace(path, text)
}
