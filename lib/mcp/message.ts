import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { type Draft, encode } from '../json/draft'
import { Json, kindOf, type Member, members, stringOf, textOf } from '../json/json'
import { parseJson } from '../json/parse'

/** Why a line is no message, in the words of JSON-RPC. The id is that of the request, where it could be read. */
export interface MessageFault {
  readonly code: number
  readonly message: string
  readonly id?: string | number
}

/** JSON-RPC 2.0, 5.1. */
const parseError = -32700
const invalidRequest = -32600

/**
 * The arguments of a tool call on their way through the SDK, which takes an object of anything. `JSON.parse`
 * would round numbers, re-order names and drop doubles, so the SDK never looks inside them. D7
 */
const carried = (value: Json): Readonly<Record<string, Json>> => ({ json: value })

/** The arguments of a tool call as they came; `undefined` where it had none. */
export const argumentsOf = (
  given: Readonly<Record<string, unknown>> | undefined,
): Json | undefined => (given?.json instanceof Json ? given.json : undefined)

/** Reads one line. What a tool call's `arguments` hold keeps its text; everything else becomes plain values. */
export const readMessage = (line: Uint8Array): E.Either<MessageFault, JSONRPCMessage> => {
  const parsed = parseJson(line)
  if (E.isLeft(parsed)) {
    const { column, cause } = parsed.left
    return E.left({ code: parseError, message: `Parse error: column ${column}: ${cause}` })
  }
  const message = plainMessage(parsed.right)
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message))
    return E.right(message)
  return E.left({ code: invalidRequest, message: 'Invalid Request', ...idOf(message) })
}

const plainMessage = (json: Json): unknown => {
  if (kindOf(json) !== 'object') return undefined
  const list = members(json)
  const method = list.find(({ key }) => key === 'method')?.value
  const isCall = method && kindOf(method) === 'string' && stringOf(method) === 'tools/call'
  return objectOf(list, ({ key, value }) =>
    isCall && key === 'params' && kindOf(value) === 'object'
      ? objectOf(members(value), (one) =>
          one.key === 'arguments' ? carried(one.value) : plain(one.value),
        )
      : plain(value),
  )
}

const objectOf = (list: ReadonlyArray<Member>, read: (member: Member) => unknown): unknown =>
  Object.fromEntries(list.map((one) => [one.key, read(one)]))

/** `undefined` for what is nested more deeply than JavaScript can hold, which no message has to be. */
const plain = (json: Json): unknown => {
  try {
    return JSON.parse(textOf(json))
  } catch {
    return undefined
  }
}

const idOf = (message: unknown): { readonly id?: string | number } => {
  const id =
    typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))
    ? { id }
    : {}
}

/**
 * The fault of a line over 16 MiB, which is not read. Its id is looked for where clients write it, first or last in
 * the message, so that whoever waits for an answer gets one.
 */
export const tooLarge = (beginning: Buffer, end: Buffer): MessageFault => {
  const [, id] =
    firstId.exec(beginning.toString('utf8', 0, end.length)) ?? lastId.exec(end.toString()) ?? []
  const message = 'Invalid Request: the message exceeds 16 MiB'
  return { code: invalidRequest, message, ...(id !== undefined && { id: JSON.parse(id) }) }
}

const firstId =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w.:-]{1,200}")\s*,/
/** Before the one brace that ends the message: an id inside it would end with two. */
const lastId = /[{,]\s*"id"\s*:\s*(\d{1,15}|"[\w.:-]{1,200}")\s*\}\s*$/

/** The answer to a line that is no message. */
export const refusal = ({ code, message, id }: MessageFault): JSONRPCMessage => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  error: { code, message },
})

/** A message as its line, newline included. `Json` parts in it keep their text. D7 */
export const writeMessage = (message: JSONRPCMessage): Buffer =>
  // The SDK's type says `unknown` where svc itself has put drafts and the SDK plain values.
  Buffer.concat([encode(message as unknown as Draft), newline])

const newline = Buffer.from('\n')
