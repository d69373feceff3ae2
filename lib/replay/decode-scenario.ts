import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import * as E from 'fp-ts/Either'
import { print } from '../codec/json/draft'
import {
  itemsIn,
  type JsonValue,
  memberIn,
  membersIn,
  numberIn,
  stringIn,
} from '../codec/json/json'
import { parseJson } from '../codec/json/parse'
import {
  type ByteBudget,
  createContentBudget,
  type ReadFile,
  readContent,
  spendBytes,
} from './content'
import { restoreLineEnds } from './line-ends'

/** The part of a `scenario.json` that a service plays. */
interface DecodedScenario {
  /** `true` if the requests may come in any order. Each then gets the response recorded for it. */
  readonly anyOrder: boolean
  /** `true` if the scenario is the run of a command, which `svc fixtures --check` repeats. */
  readonly hasCommand: boolean
  /** The exchanges in the order in which they were recorded. */
  readonly exchanges: ReadonlyArray<RecordedExchange>
}

/** A request to a service, and the service's response. */
export interface RecordedExchange {
  readonly request: RecordedRequest
  readonly response: RecordedResponse
}

export interface RecordedRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The headers that the scenario names, by name in lower case. Null means that the request must not have the header. */
  readonly headers: ReadonlyMap<string, string | null>
  /** The body; empty if there is none. */
  readonly body: Uint8Array
}

export interface RecordedResponse {
  /** The HTTP status; 0 if raw bytes or a broken connection replace the status line. */
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** The body as sent, with its content encoding. */
  readonly body: Uint8Array
  /** The body before its content encoding. */
  readonly decodedBody: Uint8Array
  /** Bytes that the service sent instead of the status, headers and body. They need not be HTTP. */
  readonly raw?: Uint8Array | undefined
  readonly fault?: RecordedFault | undefined
  /** The signal that the program gets after the response. */
  readonly signal?: Signal | undefined
}

/**
 * The end of a connection: the service ended or reset it, sent nothing more (`stall`), or repeated the body forever
 * (`endless`).
 */
export type RecordedFault = (typeof faults)[number]

const faults = ['end', 'reset', 'stall', 'endless'] as const

/** A signal that the program gets after a response was sent. */
export type Signal = (typeof signals)[number]

const signals = ['SIGINT', 'SIGTERM'] as const

/** The encoders by the name of their content encoding. */
const encoders = new Map([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])

/** Bodies are printed as compact JSON: an argument of `print`. */
const isIndented = false

/**
 * Decodes a `scenario.json`, and reads the files that its exchanges name. Ignores members of the wrong type. Rejects if a file cannot
 * be read, if a repeated text has an invalid `times`, if the parts of a content hold more than 64 MiB together, or if there are more
 * bytes than `budget` has.
 */
export const decodeScenario = async (
  document: JsonValue,
  readRaw: ReadFile,
  budget: ByteBudget,
): Promise<DecodedScenario> => {
  const crlf = itemsIn(memberIn(document, 'crlf'))
  const read: ReadFile = async (name) => {
    const bytes = restoreLineEnds(await readRaw(name), crlf.includes(name))
    spendBytes(budget, bytes.length)
    return bytes
  }
  const exchanges: Array<RecordedExchange> = []
  for (const exchange of itemsIn(memberIn(document, 'exchanges')))
    exchanges.push({
      request: await readRequest(memberIn(exchange, 'request'), read),
      response: await readResponse(memberIn(exchange, 'response'), read, budget),
    })
  const anyOrder = stringIn(memberIn(document, 'order')) === 'any'
  const hasCommand = memberIn(document, 'command') !== undefined
  return { anyOrder, hasCommand, exchanges }
}

/** Removes the whitespace between the tokens of a JSON document. Returns bytes that are not JSON unchanged, as text. */
export const compactJson = (bytes: Uint8Array): string => {
  const document = parseJson(bytes)
  return (E.isRight(document) ? print(document.right, isIndented) : Buffer.from(bytes)).toString()
}

const readRequest = async (
  request: JsonValue | undefined,
  read: ReadFile,
): Promise<RecordedRequest> => {
  // A value is a text or null. Any other value counts as null.
  const headers = listMembers(memberIn(request, 'headers')).map(
    ([name, value]) => [name.toLowerCase(), stringIn(value) ?? null] as const,
  )
  return {
    method: stringIn(memberIn(request, 'method')) ?? '',
    path: stringIn(memberIn(request, 'path')) ?? '',
    headers: new Map(headers),
    body: (await readBody(request, read)).bytes,
  }
}

const readResponse = async (
  response: JsonValue | undefined,
  read: ReadFile,
  budget: ByteBudget,
): Promise<RecordedResponse> => {
  const raw = memberIn(response, 'raw')
  const signal = signals.find((name) => name === stringIn(memberIn(response, 'signal')))
  const fault = faults.find((name) => name === stringIn(memberIn(response, 'fault')))
  const status = numberIn(memberIn(response, 'status'))
  // Without a status, a response is a 200, unless the service broke the connection instead of responding.
  const isBroken = raw !== undefined || fault !== undefined
  const { bytes, isJson } = await readBody(response, read)
  const rawBytes =
    raw === undefined ? undefined : await readContent(raw, read, createContentBudget())
  spendBytes(budget, bytes.length + (rawBytes?.length ?? 0))
  // Without an encoding, or with an unknown one, the body is sent as it is.
  const encoding = stringIn(memberIn(response, 'encoding')) ?? ''
  const encode = encoders.get(encoding)
  return {
    status: status ?? (isBroken ? 0 : 200),
    headers: readHeaders(response, isJson, encode === undefined ? undefined : encoding),
    body: encode === undefined ? bytes : encode(bytes),
    decodedBody: bytes,
    raw: rawBytes,
    fault,
    signal,
  }
}

/**
 * Reads the body of a request or response: `body` is a JSON value, `bodyFile` names a JSON file, whose final newline is
 * dropped, and `bodyText` describes any bytes.
 */
const readBody = async (
  message: JsonValue | undefined,
  read: ReadFile,
): Promise<{ readonly bytes: Uint8Array; readonly isJson: boolean }> => {
  const file = stringIn(memberIn(message, 'bodyFile'))
  if (file !== undefined) {
    const text = Buffer.from(await read(file))
    const hasFinalNewline = text.at(-1) === 0x0a
    return { bytes: hasFinalNewline ? text.subarray(0, -1) : text, isJson: true }
  }
  const body = memberIn(message, 'body')
  if (body !== undefined) return { bytes: print(body, isIndented), isJson: true }
  const content = memberIn(message, 'bodyText')
  const bytes =
    content === undefined
      ? new Uint8Array()
      : await readContent(content, read, createContentBudget())
  return { bytes, isJson: false }
}

/** Reads the headers of a response, and adds those that its body and its content encoding need. */
const readHeaders = (
  response: JsonValue | undefined,
  isJson: boolean,
  encoding: string | undefined,
): RecordedResponse['headers'] => {
  const scenarioHeaders = listMembers(memberIn(response, 'headers')).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  const hasContentType = scenarioHeaders.some(([name]) => name.toLowerCase() === 'content-type')
  const headers: Array<readonly [name: string, value: string]> = []
  if (isJson && !hasContentType) headers.push(['content-type', 'application/json'])
  if (encoding !== undefined) headers.push(['content-encoding', encoding])
  return [...headers, ...scenarioHeaders]
}

const listMembers = (
  object: JsonValue | undefined,
): ReadonlyArray<readonly [name: string, value: JsonValue]> => [...membersIn(object)]
