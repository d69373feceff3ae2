import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { type Draft, encode } from '../codec/json/draft'
import {
  Json,
  kindOf,
  type Member,
  memberIn,
  membersOf,
  stringIn,
  textOf,
} from '../codec/json/json'
import { exceedsLargest, parseJson } from '../codec/json/parse'

/** Why a line is not a message, with code and words of JSON-RPC. */
interface MessageFault {
  readonly code: number
  readonly message: string
  /** The id of the request as it was written, where it could be read. */
  readonly id?: Json | string | number
  /** Whether the line is a notification, which is never answered. JSON-RPC 2.0, 4.1 */
  readonly isNotification?: true
}

/** Error codes of JSON-RPC 2.0, 5.1. */
const parseError = -32700
const invalidRequest = -32600

/**
 * Wraps the arguments of a tool call in an object, as the SDK demands, whose value it does not look into.
 * `JSON.parse` would round numbers, re-order names and drop duplicates. D7
 */
const carryArguments = (value: Json): Readonly<Record<string, Json>> => ({ json: value })

/** Unwraps the arguments of a tool call; `undefined` where it had none. */
export const argumentsOf = (
  given: Readonly<Record<string, unknown>> | undefined,
): Json | undefined => (given?.json instanceof Json ? given.json : undefined)

/**
 * Reads a message from a line. The `arguments` of a tool call keep their text; everything else becomes plain
 * values. Fails where the line is not a message.
 */
export const readMessage = (line: Uint8Array): E.Either<MessageFault, JSONRPCMessage> => {
  const parsed = parseJson(line)
  if (E.isLeft(parsed)) {
    const { column, cause } = parsed.left
    return E.left({ code: parseError, message: `Parse error: column ${column}: ${cause}` })
  }
  const message = plainMessageOf(parsed.right)
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message))
    return E.right(message)
  return E.left({
    code: invalidRequest,
    message: 'Invalid Request',
    ...describeSender(parsed.right),
  })
}

const plainMessageOf = (json: Json): unknown => {
  if (kindOf(json) !== 'object') return undefined
  const list = membersOf(json)
  const isCall = stringIn(list.find(({ key }) => key === 'method')?.value) === 'tools/call'
  return objectOf(list, ({ key, value }) =>
    isCall && key === 'params' && kindOf(value) === 'object'
      ? objectOf(membersOf(value), (one) =>
          one.key === 'arguments' ? carryArguments(one.value) : parsePlain(one.value),
        )
      : parsePlain(value),
  )
}

const objectOf = (list: ReadonlyArray<Member>, read: (member: Member) => unknown): unknown =>
  Object.fromEntries(list.map((one) => [one.key, read(one)]))

/**
 * Parses a value; `undefined` where it is nested more deeply than `JSON.parse` can handle, as no message needs
 * to be.
 */
const parsePlain = (json: Json): unknown => {
  try {
    return JSON.parse(textOf(json))
  } catch {
    return undefined
  }
}

/** The longest id that an error repeats, in bytes. */
const longestId = 1024

/** Says which request a message belongs to, or that it is a notification. */
const describeSender = (json: Json): Pick<MessageFault, 'id' | 'isNotification'> => {
  if (kindOf(json) !== 'object') return {}
  const id = memberIn(json, 'id')
  if (id === undefined)
    return stringIn(memberIn(json, 'method')) === undefined ? {} : { isNotification: true }
  const isId = ['string', 'number'].includes(kindOf(id)) && id.end - id.start <= longestId
  return isId ? { id } : {}
}

/**
 * The fault of a line over 16 MiB, which is not parsed. The id is searched for where clients write it, as the
 * first or last member of the message, so that the client gets an answer to its request.
 */
export const describeTooLong = (beginning: Buffer, end: Buffer): MessageFault => {
  const [, id] =
    firstId.exec(beginning.toString('utf8', 0, end.length)) ?? lastId.exec(end.toString()) ?? []
  const message = `Invalid Request: the message ${exceedsLargest}`
  return { code: invalidRequest, message, ...(id !== undefined && { id: JSON.parse(id) }) }
}

const firstId =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}(?:\.\d{1,15})?|"[\w.:-]{1,200}")\s*,/
/**
 * The id must stand before the single brace that ends the message: that of a nested object would stand before
 * two.
 */
const lastId = /[{,]\s*"id"\s*:\s*(-?\d{1,15}(?:\.\d{1,15})?|"[\w.:-]{1,200}")\s*\}\s*$/

/** Writes the error response to a line that is not a message, with its newline. */
export const writeFault = ({ code, message, id }: MessageFault): Buffer =>
  writeLine({ jsonrpc: '2.0', id, error: { code, message } })

/** Writes a message as a line, with its newline. `Json` parts keep their text. D7 */
export const writeMessage = (message: JSONRPCMessage): Buffer =>
  // The SDK types results as `unknown`. They hold only drafts from svc and plain values from the SDK.
  writeLine(message as unknown as Draft)

const writeLine = (message: Draft): Buffer => Buffer.concat([encode(message), newline])

const newline = Buffer.from('\n')
