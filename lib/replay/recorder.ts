import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { isKind, memberIn } from '../codec/json/json'
import { parseJson } from '../codec/json/parse'
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
const keptHeaders = [
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
 * scenario of the first one. Scenarios that the folder already has stay as they are. `onEnd` gets the reason if the recording
 * ends early.
 */
export const createRecorder = (
  folder: string,
  files: RecorderFiles,
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
    const subject = describeSubject(exchange)
    const name = `${String(next).padStart(3, '0')}-${subject.replace(/[^\w-]+/g, '-').slice(0, 60)}`
    const known = written.get(key)
    const scenario = known ?? { folder: join(recorded, name), title: subject, exchanges: [] }
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
      pending = pending.then(() => addUntilEnded(exchange))
    },
    settle: () => pending,
  }
}

/** The number of the last recorded scenario in a folder; 0 if it has none. */
const findLastNumber = async (
  recorded: string,
  files: Pick<Files, 'list' | 'makeFolder'>,
): Promise<number> => {
  await files.makeFolder(recorded)
  let last = 0
  for (const path of await files.list(recorded))
    last = Math.max(last, Number.parseInt(path, 10) || 0)
  return last
}

/** The ids of the questions, which name the scenario; `models` for the model list. */
const describeSubject = ({ method, requestBody }: RecordableExchange): string => {
  if (method === 'GET') return 'models'
  const document = parseJson(requestBody)
  const questions = E.isRight(document) ? memberIn(document.right, 'questions') : undefined
  return isKind(questions, 'object') && questions.size > 0
    ? [...questions.keys()].join(', ')
    : 'request'
}

const writeExchange = async (
  { folder, title, exchanges }: Written,
  exchange: RecordableExchange,
  files: RecorderFiles,
): Promise<void> => {
  const isFirst = exchanges.length === 0
  const { method, path, status, requestBody, responseBody } = exchange
  if (isFirst) await files.makeFolder(folder)
  const hasRequest = requestBody.length > 0
  if (isFirst && hasRequest)
    await files.create(join(folder, 'request.json'), lineOf(requestBody), mode)
  const isJson = E.isRight(parseJson(responseBody))
  const bodyFile = isFirst ? 'response.json' : `response-${exchanges.length + 1}.json`
  if (isJson) await files.create(join(folder, bodyFile), lineOf(responseBody), mode)
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).filter(([name]) => keptHeaders.includes(name.toLowerCase())),
  )
  exchanges.push({
    request: { method, path, ...(hasRequest && { bodyFile: 'request.json' }) },
    response: {
      status,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(isJson
        ? { bodyFile }
        : { bodyText: { base64: Buffer.from(responseBody).toString('base64') } }),
    },
  })
  const scenario = { version: 1, title: `recorded: ${title}`, exchanges }
  await files.replace(join(folder, 'scenario.json'), `${JSON.stringify(scenario, undefined, 2)}\n`)
}

const mode = 0o644

/** A body as a file, with a final newline, which is not sent. */
const lineOf = (body: Uint8Array): Uint8Array => Buffer.concat([body, Buffer.from('\n')])
