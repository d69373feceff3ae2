import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { itemsIn, type JsonValue, memberIn, stringIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import type { Failure } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import { codeOf } from '../../runtime/node/error-reason'
import type { Redact } from '../../text/secret'
import {
  checkNoLink,
  claimFolder,
  createLinkFreeFile,
  makeLinkFreeFolder,
} from '../link-free-files'

/** An exchange that was observed, and can be recorded. */
export interface ObservedExchange {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The headers that the request must have when it plays back. Null means that the request must not have the header. */
  readonly requestHeaders?: Readonly<Record<string, string | null>>
  readonly requestBody: Uint8Array
  readonly status: number
  /** The headers of the response. Only those of `recordedHeaders` are written. */
  readonly headers: Readonly<Record<string, string>>
  readonly responseBody: Uint8Array
}

/** The response headers that clients act on, or that name the request. No other header is recorded. */
export const recordedHeaders = [
  'location',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-request-id',
  'x-service-request-id',
  'x-typesafe-request-id',
  'x-litellm-call-id',
]

/** Redacts secrets in the path, the headers and the bodies of an exchange. */
export const redactExchange = (exchange: ObservedExchange, redact: Redact): ObservedExchange => ({
  ...exchange,
  path: redact(exchange.path),
  headers: Object.fromEntries(
    Object.entries(exchange.headers).map(([name, value]) => [name, redact(value)]),
  ),
  requestBody: redactBytes(exchange.requestBody, redact),
  responseBody: redactBytes(exchange.responseBody, redact),
})

/** Redacts secrets in bytes, which need not be UTF-8: `latin1` makes each byte a character, and back. */
export const redactBytes = (bytes: Uint8Array, redact: Redact): Uint8Array =>
  Buffer.from(redact(Buffer.from(bytes).toString('latin1')), 'latin1')

/** The folder of recorded scenarios, below the folder that `--record` names. */
const recordedFolder = 'fixtures/recorded'

/**
 * Makes the folder of recorded scenarios below `folder`, and a `.gitattributes` that keeps Git from changing line ends, unless there is
 * one. Fails with a usage error if that is impossible, or if a folder below `folder` is a link.
 */
export const makeRecordedFolder = (folder: string): Promise<E.Either<Failure, void>> =>
  runFileOperation(`record into ${folder}`, async () => {
    makeLinkFreeFolder(folder, recordedFolder)
    checkNoLink(folder, 'golden/recorded')
    try {
      await createLinkFreeFile(folder, '.gitattributes', '* -text\n')
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  })()

/** A recorded scenario that has a folder, but no file yet. */
export interface ClaimedScenario {
  /** The path of its folder below `fixtures` and `golden`. */
  readonly name: string
  readonly title: string
}

/** Makes the folder of a new scenario below `folder`. Its number is above those of all recorded scenarios and goldens. */
export const claimScenario = (
  folder: string,
  exchange: ObservedExchange | undefined,
): ClaimedScenario => {
  const { slug, title } = nameScenario(exchange)
  const goldens = listNames(join(folder, 'golden/recorded'))
  const name = claimFolder(
    folder,
    recordedFolder,
    (names) => findLastNumber([...names, ...goldens]),
    (digits) => `${digits}-${slug}`,
  )
  return { name: `recorded/${name}`, title }
}

/** Lists the names in a folder. Returns an empty list if it cannot be read. */
const listNames = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Finds the highest number that names of scenarios begin with, as in 007-is-bug; 0 if there is none. */
const findLastNumber = (names: ReadonlyArray<string>): number =>
  // `parseInt` returns NaN for any other name.
  names.reduce((last, name) => Math.max(last, Number.parseInt(name, 10) || 0), 0)

const maxSlugCharacters = 60

/** Names a scenario by the ids of the questions in its first exchange. The slug is the end of its folder's name. */
const nameScenario = (
  exchange: ObservedExchange | undefined,
): { readonly slug: string; readonly title: string } => {
  const subject = exchange === undefined ? 'no request' : describeSubject(exchange)
  // 'is bug, team' becomes 'is-bug-team'. The name is cut because file systems limit its length.
  const slug = subject.replace(/[^\w-]+/g, '-').slice(0, maxSlugCharacters)
  // A title is one line without a full stop.
  const title = `recorded: ${subject}`.replace(/\s+/g, ' ').replace(/[.\s]+$/, '')
  return { slug, title }
}

/** Describes a request by the ids of its questions; `models` for a request of the model list. */
const describeSubject = ({ method, requestBody }: ObservedExchange): string => {
  if (method === 'GET') return 'models'
  const document = parseJson(requestBody)
  const questions = E.isRight(document) ? memberIn(document.right, 'questions') : undefined
  return listIds(questions).join(', ') || 'request'
}

/**
 * Lists the ids of questions: the keys of an object, or the names in a list, which is the form of OpenAI's decisions. `?? []` leaves
 * out questions without a name.
 */
const listIds = (questions: JsonValue | undefined): ReadonlyArray<string> =>
  questions instanceof Map
    ? [...questions.keys()]
    : itemsIn(questions).flatMap((question) => stringIn(memberIn(question, 'name')) ?? [])

/** The folder and file names for the bodies of an exchange. */
interface BodyFiles {
  /** Writes a new file of the scenario's folder. */
  readonly create: CreateFile
  /** The number of the exchange in its scenario, from 0. */
  readonly index: number
  /** The start of the file names, which distinguishes them from the files that the run read. */
  readonly prefix?: string
  /** The name of the request file of an earlier exchange with the same request. It is not written again. */
  readonly requestFile?: string | undefined
}

/** Writes a new file of a scenario's folder by its path there. Rejects if it exists or cannot be written. */
export type CreateFile = (path: string, data: string | Uint8Array) => Promise<void>

/** Writes the bodies of an exchange into a scenario's folder. Resolves with the exchange as `scenario.json` describes it. */
export const writeBodies = async (
  exchange: ObservedExchange,
  { create, index, prefix = '', requestFile }: BodyFiles,
): Promise<Readonly<Record<string, unknown>>> => {
  const { method, path, requestHeaders = {}, requestBody, status, headers, responseBody } = exchange
  // The files are request.json and response.json, then request-2.json and response-2.json, and so on.
  const suffix = index === 0 ? '.json' : `-${index + 1}.json`
  const hasHeaders = Object.keys(requestHeaders).length > 0
  const hasBody = requestBody.length > 0
  const requestName = requestFile ?? `${prefix}request${suffix}`
  if (hasBody && requestFile === undefined) await create(requestName, addNewline(requestBody))
  const isJson = E.isRight(parseJson(responseBody))
  const responseName = `${prefix}response${suffix}`
  if (isJson) await create(responseName, addNewline(responseBody))
  const headersToRecord = Object.entries(headers).filter(([name]) =>
    recordedHeaders.includes(name.toLowerCase()),
  )
  const base64 = Buffer.from(responseBody).toString('base64')
  // `JSON.stringify` leaves out members that are `undefined`.
  return {
    request: {
      method,
      path,
      headers: hasHeaders ? requestHeaders : undefined,
      bodyFile: hasBody ? requestName : undefined,
    },
    response: {
      status,
      headers: headersToRecord.length > 0 ? Object.fromEntries(headersToRecord) : undefined,
      bodyFile: isJson ? responseName : undefined,
      bodyText: isJson ? undefined : { base64 },
    },
  }
}

/** Adds the final newline of a text file, which is no part of the body. */
const addNewline = (body: Uint8Array): Uint8Array => Buffer.concat([body, Buffer.from('\n')])
