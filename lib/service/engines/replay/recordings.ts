import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import { print } from '../../../json/draft'
import { items, type Json, kindOf, member, members, numberOf, stringOf } from '../../../json/json'
import { parseJson } from '../../../json/parse'
import { reasonOf } from '../../../runtime/reason'
import type { Files } from '../../../runtime/runtime'
import type { Passed, Passing } from '../engine'
import { contentOf } from './content'

/** One recorded exchange that can be played again. */
export interface Recording {
  /** The scenario's folder, relative to the folder of all scenarios. */
  readonly scenario: string
  readonly operation: Passing['operation']
  /** The request's JSON without blanks between its tokens; empty where it has no body. */
  readonly request: string
  readonly response: Passed
}

/**
 * A JSON document without blanks between its tokens, each token as it was written. Bytes that are not JSON
 * stay as they are.
 */
export const squeezed = (bytes: Uint8Array): string => {
  const document = parseJson(bytes)
  return (E.isRight(document) ? print(document.right, false) : Buffer.from(bytes)).toString()
}

/**
 * Reads the exchanges of every `scenario.json` below a folder. Those that end in a fault of the network cannot
 * be played again and are left out.
 */
export const readRecordings = (
  folder: string,
  files: Pick<Files, 'list' | 'read'>,
): TE.TaskEither<Failure, ReadonlyArray<Recording>> =>
  pipe(
    TE.tryCatch(
      () => files.list(folder),
      (error) => usage(`read fixtures ${folder}: ${reasonOf(error)}`),
    ),
    TE.map((paths) => paths.filter((path) => /(?:^|\/)scenario\.json$/.test(path))),
    TE.chain((paths) =>
      TE.tryCatch(
        async () => {
          const found: Array<Recording> = []
          for (const path of paths) found.push(...(await readScenario(folder, path, files)))
          return found
        },
        (error) => usage(`read fixtures ${folder}: ${reasonOf(error)}`),
      ),
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
  const at = `${folder}/${path.slice(0, -'scenario.json'.length)}`
  const read = (name: string): Promise<Uint8Array> => files.read(`${at}${name}`)
  const document = parseJson(await read('scenario.json'))
  if (E.isLeft(document)) throw new Error(`${path}: ${document.left.message}`)
  const exchanges = child(document.right, 'exchanges')
  const found: Array<Recording> = []
  for (const exchange of exchanges === undefined ? [] : items(exchanges)) {
    const recording = await readExchange(exchange, read)
    if (recording !== undefined) {
      found.push({ scenario: path.replace(/\/?scenario\.json$/, '') || '.', ...recording })
    }
  }
  return found
}

const unplayable = ['raw', 'fault', 'signal', 'encoding']

const readExchange = async (
  exchange: Json,
  read: (name: string) => Promise<Uint8Array>,
): Promise<Omit<Recording, 'scenario'> | undefined> => {
  const request = child(exchange, 'request')
  const response = child(exchange, 'response')
  if (request === undefined || response === undefined) return undefined
  if (unplayable.some((field) => child(response, field) !== undefined)) return undefined
  const operation = operationOf(text(child(request, 'path')) ?? '')
  const status = child(response, 'status')
  const code = status === undefined ? 200 : numberOf(status)
  if (operation === undefined || code < 200 || code > 599) return undefined
  const asked = await bodyOf(request, read)
  const body = await bodyOf(response, read)
  return {
    operation,
    request: squeezed(asked.bytes),
    response: { status: code, headers: headersOf(response, body.isJson), body: body.bytes },
  }
}

const operationOf = (path: string): Passing['operation'] | undefined =>
  /\/v1\/(?:questions|systemone)$/.test(path)
    ? 'ask'
    : path.endsWith('/v1/models')
      ? 'models'
      : undefined

/**
 * The body of a request or response: `body` is a JSON value, `bodyFile` a file with JSON whose final newline
 * does not count, `bodyText` any bytes.
 */
const bodyOf = async (
  of: Json,
  read: (name: string) => Promise<Uint8Array>,
): Promise<{ readonly bytes: Uint8Array; readonly isJson: boolean }> => {
  const file = text(child(of, 'bodyFile'))
  if (file !== undefined) {
    const whole = Buffer.from(await read(file))
    return { bytes: whole.at(-1) === 0x0a ? whole.subarray(0, -1) : whole, isJson: true }
  }
  const inPlace = child(of, 'body')
  if (inPlace !== undefined) return { bytes: print(inPlace, false), isJson: true }
  const content = child(of, 'bodyText')
  const bytes = content === undefined ? new Uint8Array() : await contentOf(content, read)
  return { bytes, isJson: false }
}

const headersOf = (
  response: Json,
  isJson: boolean,
): ReadonlyArray<readonly [name: string, value: string]> => {
  const given = child(response, 'headers')
  const own = (given === undefined ? [] : members(given)).flatMap(({ key, value }) =>
    kindOf(value) === 'string' ? [[key, stringOf(value)] as const] : [],
  )
  const typed = own.some(([name]) => name.toLowerCase() === 'content-type')
  return isJson && !typed ? [['content-type', 'application/json'], ...own] : own
}

const child = (json: Json, name: string): Json | undefined =>
  kindOf(json) === 'object' ? member(json, name) : undefined

const text = (json: Json | undefined): string | undefined =>
  json !== undefined && kindOf(json) === 'string' ? stringOf(json) : undefined
