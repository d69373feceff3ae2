import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { memberIn } from '../codec/json/json'
import { parseJson } from '../codec/json/parse'
import type { Redact } from '../failure/text/redact'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { squeezeJson } from './scenario'

/** One exchange to record. Of its headers only those of `keptHeaders` are written, and never one of the request. */
export interface RecordableExchange {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly requestBody: Uint8Array
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly responseBody: Uint8Array
}

/** Writes exchanges as scenarios. */
export interface Recorder {
  /** Writes an exchange in its turn. Never fails: if a file cannot be written, the recording ends. */
  readonly record: (exchange: RecordableExchange) => void
  /** Resolves once everything has been written. */
  readonly settle: () => Promise<void>
}

/** The response headers that a client acts on or that a person looks for. */
export const keptHeaders = [
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'x-service-request-id',
  'x-typesafe-request-id',
]

/** A scenario that this recording writes. */
interface Written {
  readonly folder: string
  readonly title: string
  readonly exchanges: Array<Readonly<Record<string, unknown>>>
}

type RecorderFiles = Pick<Files, 'list' | 'makeFolder' | 'create' | 'replace'>

/**
 * Creates a recorder that writes below `<folder>/fixtures/recorded`. A request that comes again adds its answer to the
 * scenario of the first one. Scenarios that the folder already has stay as they are. Secrets in paths and bodies are redacted.
 * `onEnd` gets the reason if the recording ends early.
 */
export const createRecorder = (
  folder: string,
  files: RecorderFiles,
  redact: Redact,
  onEnd: (reason: string) => void,
): Recorder => {
  const recorded = join(folder, 'fixtures', 'recorded')
  const written = new Map<string, Written>()
  let pending: Promise<void> = Promise.resolve()
  let next: number | undefined
  let ended = false
  const add = async (exchange: RecordableExchange): Promise<void> => {
    const request = squeezeJson(exchange.requestBody)
    const { method, path } = exchange
    const key = createHash('sha256').update(`${method} ${path} ${request}`).digest('hex')
    next ??= (await findLastNumber(recorded, files)) + 1
    const { name, title } = nameScenario(next, exchange)
    const known = written.get(key)
    const scenario = known ?? { folder: join(recorded, name), title, exchanges: [] }
    if (known === undefined) {
      next += 1
      written.set(key, scenario)
    }
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

/** Redacts secrets in the path, the headers and the bodies of an exchange. */
export const redactExchange = (
  exchange: RecordableExchange,
  redact: Redact,
): RecordableExchange => ({
  ...exchange,
  path: redact(exchange.path),
  headers: Object.fromEntries(
    Object.entries(exchange.headers).map(([name, value]) => [name, redact(value)]),
  ),
  requestBody: redactBytes(exchange.requestBody, redact),
  responseBody: redactBytes(exchange.responseBody, redact),
})

/** Redacts secrets in bytes. All other bytes stay as they are, text or not. */
export const redactBytes = (bytes: Uint8Array, redact: Redact): Uint8Array =>
  Buffer.from(redact(Buffer.from(bytes).toString('latin1')), 'latin1')

/** The number of the last recorded scenario in a folder; 0 if it has none. */
export const findLastNumber = async (
  recorded: string,
  files: Pick<Files, 'list' | 'makeFolder'>,
): Promise<number> => {
  await files.makeFolder(recorded)
  let last = 0
  for (const path of await files.list(recorded))
    last = Math.max(last, Number.parseInt(path, 10) || 0)
  return last
}

/** Names a scenario after its number and the ids of the questions. */
export const nameScenario = (
  number: number,
  exchange: RecordableExchange | undefined,
): { readonly name: string; readonly title: string } => {
  const subject = exchange === undefined ? 'no request' : describeSubject(exchange)
  const words = subject.replace(/[^\w-]+/g, '-').slice(0, 60)
  return { name: `${String(number).padStart(3, '0')}-${words}`, title: `recorded: ${subject}` }
}

/** The ids of the questions; `models` for the model list. */
const describeSubject = ({ method, requestBody }: RecordableExchange): string => {
  if (method === 'GET') return 'models'
  const document = parseJson(requestBody)
  const questions = E.isRight(document) ? memberIn(document.right, 'questions') : undefined
  return questions instanceof Map && questions.size > 0
    ? [...questions.keys()].join(', ')
    : 'request'
}

const writeExchange = async (
  { folder, title, exchanges }: Written,
  exchange: RecordableExchange,
  files: RecorderFiles,
): Promise<void> => {
  if (exchanges.length === 0) await files.makeFolder(folder)
  const requestFile = exchanges.length === 0 ? undefined : 'request.json'
  exchanges.push(await writeBodies(folder, exchange, exchanges.length, files, requestFile))
  const scenario = { version: 1, title, exchanges }
  await files.replace(join(folder, 'scenario.json'), `${JSON.stringify(scenario, undefined, 2)}\n`)
}

/**
 * Writes the bodies of an exchange as files of a scenario's folder, and describes the exchange as the scenario does. `index`
 * counts the exchanges from 0. `requestFile` names the file that has the request already.
 */
export const writeBodies = async (
  folder: string,
  { method, path, status, headers, requestBody, responseBody }: RecordableExchange,
  index: number,
  files: Pick<Files, 'create'>,
  requestFile?: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const suffix = index === 0 ? '.json' : `-${index + 1}.json`
  const sent = requestBody.length === 0 ? undefined : (requestFile ?? `request${suffix}`)
  if (sent !== undefined && requestFile === undefined)
    await files.create(join(folder, sent), lineOf(requestBody), mode)
  const isJson = E.isRight(parseJson(responseBody))
  const received = `response${suffix}`
  if (isJson) await files.create(join(folder, received), lineOf(responseBody), mode)
  const kept = Object.entries(headers).filter(([name]) => keptHeaders.includes(name.toLowerCase()))
  const base64 = Buffer.from(responseBody).toString('base64')
  return {
    request: { method, path, ...(sent !== undefined && { bodyFile: sent }) },
    response: {
      status,
      ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
      ...(isJson ? { bodyFile: received } : { bodyText: { base64 } }),
    },
  }
}

const mode = 0o644

/** A body as a file, with a final newline, which is not sent. */
const lineOf = (body: Uint8Array): Uint8Array => Buffer.concat([body, Buffer.from('\n')])
