import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Redact } from '../failure/text/redact'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import {
  findLastNumber,
  nameScenario,
  type RecordableExchange,
  redactExchange,
  writeBodies,
} from './recorded-files'
import { squeezeJson } from './scenario'

/** Writes exchanges as scenarios. */
export interface Recorder {
  /** Queues an exchange to be written. If a file cannot be written, the recording ends. */
  readonly record: (exchange: RecordableExchange) => void
  /** Resolves once everything has been written. */
  readonly settle: () => Promise<void>
}

/** A scenario of this recording, with the exchanges written so far. */
interface OpenScenario {
  readonly folder: string
  readonly title: string
  readonly exchanges: Array<Readonly<Record<string, unknown>>>
}

type RecorderFiles = Pick<Files, 'list' | 'makeFolder' | 'create' | 'replace'>

/**
 * Creates a recorder that writes scenarios below `<folder>/fixtures/recorded` and overwrites none. A repeated request adds
 * its response to the scenario of the first one. Secrets are redacted. `onEnd` gets the reason if the recording ends early.
 */
export const createRecorder = (
  folder: string,
  files: RecorderFiles,
  redact: Redact,
  onEnd: (reason: string) => void,
): Recorder => {
  const recorded = join(folder, 'fixtures', 'recorded')
  const scenarios = new Map<string, OpenScenario>()
  let pending: Promise<void> = Promise.resolve()
  let lastNumber: number | undefined
  let ended = false
  const nameNext = async (exchange: RecordableExchange): Promise<OpenScenario> => {
    lastNumber = 1 + (lastNumber ?? (await findLastNumber(recorded, files)))
    const { name, title } = nameScenario(lastNumber, exchange)
    return { folder: join(recorded, name), title, exchanges: [] }
  }
  const add = async (exchange: RecordableExchange): Promise<void> => {
    const request = squeezeJson(exchange.requestBody)
    const { method, path } = exchange
    const key = createHash('sha256').update(`${method} ${path} ${request}`).digest('hex')
    const scenario = scenarios.get(key) ?? (await nameNext(exchange))
    scenarios.set(key, scenario)
    await writeExchange(scenario, exchange, files)
  }
  const addUntilEnded = async (exchange: RecordableExchange): Promise<void> => {
    if (ended) return
    try {
      await add(exchange)
    } catch (error) {
      ended = true
      onEnd(reasonOf(error))
    }
  }
  return {
    record: (exchange) => {
      pending = pending.then(() => addUntilEnded(redactExchange(exchange, redact)))
    },
    settle: () => pending,
  }
}

const writeExchange = async (
  { folder, title, exchanges }: OpenScenario,
  exchange: RecordableExchange,
  files: RecorderFiles,
): Promise<void> => {
  if (exchanges.length === 0) await files.makeFolder(folder)
  const index = exchanges.length
  const requestFile = index === 0 ? undefined : 'request.json'
  exchanges.push(await writeBodies(exchange, { folder, index, requestFile }, files))
  const scenario = { version: 1, title, exchanges }
  await files.replace(join(folder, 'scenario.json'), `${JSON.stringify(scenario, undefined, 2)}\n`)
}
