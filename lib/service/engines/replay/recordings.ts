import { dirname, join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { access } from '../../../failure/access'
import { type Failure, usage } from '../../../failure/failure'
import { print } from '../../../json/draft'
import {
  itemsIn,
  type Json,
  kindOf,
  memberIn,
  membersOf,
  numberOf,
  stringIn,
  stringOf,
} from '../../../json/json'
import { parseJson } from '../../../json/parse'
import type { Files } from '../../../runtime/runtime'
import type { Passed, Passing } from '../../contract/engine'
import { operationPath } from '../../contract/operation-path'
import { contentOf, type ReadFile } from './content'

/**
 * What a recorded service did to the connection after sending: ended or reset it, sent nothing more (`stall`),
 * or repeated the body without end.
 */
export type Fault = 'end' | 'reset' | 'stall' | 'endless'

/** A recorded response. A status of 0, with a fault or raw bytes, means that no status line was sent. */
export interface Recorded extends Passed {
  /** The exact bytes to send in place of status, headers and body; they need not be HTTP. */
  readonly raw?: Uint8Array
  readonly fault?: Fault
}

/** One recorded exchange. */
export interface Recording {
  /** The scenario's folder, relative to the folder of all scenarios. */
  readonly scenario: string
  /** Whether the scenario's requests may come in any order. Each then gets the response recorded for it. */
  readonly anyOrder: boolean
  readonly operation: Passing['operation']
  /** The part of the recorded path before `/v1`. */
  readonly prefix: string
  /** The request's JSON without whitespace between tokens; empty where it has no body. */
  readonly request: string
  readonly response: Recorded
}

/**
 * Removes the whitespace between the tokens of a JSON document; the tokens stay as written. Bytes that are not
 * JSON are returned unchanged, as text.
 */
export const squeezed = (bytes: Uint8Array): string => {
  const document = parseJson(bytes)
  return (E.isRight(document) ? print(document.right, false) : Buffer.from(bytes)).toString()
}

/**
 * Reads the recorded exchanges of every `scenario.json` below a folder. Fails with a usage error where a file
 * cannot be read, and where there are none.
 */
export const readRecordings = (
  folder: string,
  files: Pick<Files, 'list' | 'read'>,
): TE.TaskEither<Failure, ReadonlyArray<Recording>> =>
  pipe(
    access(`read fixtures ${folder}`, () => files.list(folder)),
    TE.map((paths) => paths.filter((path) => /(?:^|\/)scenario\.json$/.test(path))),
    TE.chain((paths) =>
      access(`read fixtures ${folder}`, async () => {
        const found: Array<Recording> = []
        for (const path of paths) found.push(...(await readScenario(folder, path, files)))
        return found
      }),
    ),
    TE.chainEitherK((found) =>
      found.length === 0 ? E.left(usage(`no recorded exchange in ${folder}`)) : E.right(found),
    ),
  )

const readScenario = async (
  folder: string,
  path: string,
  files: Pick<Files, 'read'>,
): Promise<ReadonlyArray<Recording>> => {
  // Scenarios come from others, so they must not show files from elsewhere.
  const read: ReadFile = async (name) => {
    const file = join(dirname(path), name)
    if (/^\.\.(?:[\\/]|$)/.test(file)) throw new Error(`${path}: "${name}" is not below the folder`)
    return files.read(`${folder}/${file}`)
  }
  const document = parseJson(await read('scenario.json'))
  if (E.isLeft(document)) throw new Error(`${path}: ${document.left.message}`)
  const scenario = path.replace(/\/?scenario\.json$/, '') || '.'
  const anyOrder = stringIn(memberIn(document.right, 'order')) === 'any'
  const found: Array<Recording> = []
  for (const exchange of itemsIn(memberIn(document.right, 'exchanges'))) {
    const recording = await readExchange(exchange, read)
    if (recording !== undefined) found.push({ scenario, anyOrder, ...recording })
  }
  return found
}

const readExchange = async (
  exchange: Json,
  read: ReadFile,
): Promise<Omit<Recording, 'scenario' | 'anyOrder'> | undefined> => {
  const request = memberIn(exchange, 'request')
  const response = memberIn(exchange, 'response')
  if (request === undefined || response === undefined) return undefined
  const path = operationPath(stringIn(memberIn(request, 'path')) ?? '')
  if (path === undefined) return undefined
  const recorded = await readResponse(response, read)
  if (recorded === undefined) return undefined
  const asked = await bodyOf(request, read)
  return {
    operation: path.route === '/v1/models' ? 'models' : 'ask',
    prefix: path.prefix,
    request: squeezed(asked.bytes),
    response: recorded,
  }
}

const readResponse = async (response: Json, read: ReadFile): Promise<Recorded | undefined> => {
  const raw = memberIn(response, 'raw')
  const fault = faults.find((name) => name === stringIn(memberIn(response, 'fault')))
  const given = memberIn(response, 'status')
  const spoilt = raw !== undefined || fault !== undefined
  const status = given !== undefined ? numberOf(given) : spoilt ? 0 : 200
  if (status !== 0 && (status < 200 || status > 599)) return undefined
  const { bytes, isJson } = await bodyOf(response, read)
  const encoding = codings.find((name) => name === stringIn(memberIn(response, 'encoding')))
  return {
    status,
    headers: headersOf(response, isJson, encoding),
    body: encoding === undefined ? bytes : encoders[encoding](bytes),
    ...(raw === undefined ? {} : { raw: await contentOf(raw, read) }),
    ...(fault === undefined ? {} : { fault }),
  }
}

const faults = ['end', 'reset', 'stall', 'endless'] as const

const codings = ['gzip', 'deflate', 'br'] as const

const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }

/**
 * Reads the body of a request or response. `body` is a JSON value, `bodyFile` names a JSON file, whose final
 * newline is dropped, and `bodyText` describes any bytes.
 */
const bodyOf = async (
  of: Json,
  read: ReadFile,
): Promise<{ readonly bytes: Uint8Array; readonly isJson: boolean }> => {
  const file = stringIn(memberIn(of, 'bodyFile'))
  if (file !== undefined) {
    const whole = Buffer.from(await read(file))
    return { bytes: whole.at(-1) === 0x0a ? whole.subarray(0, -1) : whole, isJson: true }
  }
  const inPlace = memberIn(of, 'body')
  if (inPlace !== undefined) return { bytes: print(inPlace, false), isJson: true }
  const content = memberIn(of, 'bodyText')
  const bytes = content === undefined ? new Uint8Array() : await contentOf(content, read)
  return { bytes, isJson: false }
}

const headersOf = (
  response: Json,
  isJson: boolean,
  encoding: string | undefined,
): ReadonlyArray<readonly [name: string, value: string]> => {
  const given = memberIn(response, 'headers')
  const own = (given === undefined ? [] : membersOf(given)).flatMap(({ key, value }) =>
    kindOf(value) === 'string' ? [[key, stringOf(value)] as const] : [],
  )
  const typed = own.some(([name]) => name.toLowerCase() === 'content-type')
  return [
    ...(isJson && !typed ? [['content-type', 'application/json'] as const] : []),
    ...(encoding === undefined ? [] : [['content-encoding', encoding] as const]),
    ...own,
  ]
}
