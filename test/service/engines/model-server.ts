import type { IncomingMessage, ServerResponse } from 'node:http'
import { readRequestBody, startHttpServer } from '../../support/servers'
import {
  documentsByProduct,
  type ServerProduct,
  type TokenProbability,
} from './model-server-documents'

/** A failure of the server, in place of an answer. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly message?: string }
  /** Sends nothing, and leaves the connection open. */
  | { readonly kind: 'stall' }
  /** Cuts the connection before the response. */
  | { readonly kind: 'reset' }
  /** Cuts the connection in the body. */
  | { readonly kind: 'cut' }
  /** Sends this body. The default status is 200. */
  | { readonly kind: 'body'; readonly body: string; readonly status?: number }

export interface ModelServerOptions {
  readonly product: ServerProduct
  /** The name of the model. */
  readonly model: string
  /** The log-weight of an option. The probabilities of the letters are the softmax of these. */
  readonly getLogWeight: (option: string, question: string) => number
  /** The total probability of the letters. Other words share the rest. Default 0.98. */
  readonly letterProbability?: number
  /** The maximum number of listed tokens. Default: as requested. */
  readonly maxListed?: number
  /** Returns the fault of a call by its number, from 1. `undefined` answers the call. */
  readonly getFault?: (callNumber: number) => Fault | undefined
  /** The time in milliseconds that each answer takes. */
  readonly delayMs?: number
  readonly apiKey?: string
  /** Returns the message of a response 400 to a request body that the server does not support. `undefined` accepts the body. */
  readonly getRefusal?: (body: Readonly<Record<string, unknown>>) => string | undefined
  /** The maximum length of a prompt in tokens. The server silently ignores the rest. */
  readonly maxReadTokens?: number
}

export interface ModelServer {
  /** The base address, which ends with `/v1`. */
  readonly url: string
  /** The bodies of completion requests, in order of arrival. */
  readonly bodies: ReadonlyArray<string>
  /** The headers of these requests, in the same order. */
  readonly headers: ReadonlyArray<IncomingMessage['headers']>
  /** Returns the maximum number of requests that were in flight at the same time. */
  readonly countMaxConcurrent: () => number
  /** Returns the number of connections since the start. */
  readonly countConnections: () => number
  readonly close: () => Promise<void>
}

/** Starts an OpenAI-compatible server on a free port. Its model answers by `getLogWeight`. */
export const startModelServer = async (options: ModelServerOptions): Promise<ModelServer> => {
  const bodies: string[] = []
  const headers: Array<IncomingMessage['headers']> = []
  let concurrent = 0
  let maxConcurrent = 0
  const { url, close, countConnections } = await startHttpServer(async (request, response) => {
    if (request.url === '/v1/models') return sendModels(options, response)
    if (request.url !== '/v1/chat/completions')
      return sendError(options, response, 404, 'Not Found')
    const text = String(await readRequestBody(request))
    bodies.push(text)
    headers.push(request.headers)
    concurrent += 1
    maxConcurrent = Math.max(maxConcurrent, concurrent)
    response.on('close', () => {
      concurrent -= 1
    })
    const fault = options.getFault?.(bodies.length)
    if (options.delayMs !== undefined) await sleep(options.delayMs)
    if (fault !== undefined) return playFault(options, fault, response)
    if (!isAuthorized(options, request)) return sendError(options, response, 401, 'Unauthorized')
    sendCompletion(options, JSON.parse(text), response)
  })
  return {
    url: `${url}/v1`,
    bodies,
    headers,
    countMaxConcurrent: () => maxConcurrent,
    countConnections,
    close,
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type CompletionBody = {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly top_logprobs: number
}

const sendCompletion = (
  options: ModelServerOptions,
  body: CompletionBody,
  response: ServerResponse,
): void => {
  const { model, getRefusal, maxReadTokens, maxListed = Number.POSITIVE_INFINITY } = options
  if (body.model !== model) {
    sendError(options, response, 404, `The model \`${body.model}\` does not exist.`)
    return
  }
  const refusal = getRefusal?.(body)
  if (refusal !== undefined) {
    sendError(options, response, 400, refusal)
    return
  }
  const prompt = body.messages[0]?.content ?? ''
  const listedTokens = Math.min(body.top_logprobs, maxListed)
  const request = { maxReadTokens, model, prompt, listedTokens }
  const tokens = computeNextTokens(prompt, options)
  sendJson(response, 200, documentsByProduct[options.product].createCompletion(request, tokens))
}

/**
 * Computes the probabilities of the next token, the likeliest first. A letter has two spellings: 95 % of its probability for `A`, and
 * 5 % for ` A`.
 */
const computeNextTokens = (
  prompt: string,
  { getLogWeight, letterProbability = 0.98 }: ModelServerOptions,
): ReadonlyArray<TokenProbability> => {
  const [, question = '', optionLines = ''] =
    /Question: (.*?)\n\n(.*)\n\nLetter:$/s.exec(prompt) ?? []
  // An option begins with its letter, such as `A: `. Its further lines begin with a space.
  const options = optionLines.split(/\n(?! )/).map((line) => line.slice('A: '.length))
  const weights = options.map((option) => Math.exp(getLogWeight(option, question)))
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0)
  const tokens: TokenProbability[] = []
  for (const [i, weight] of weights.entries()) {
    // 0x41 is the code of A.
    const letter = String.fromCharCode(0x41 + i)
    const probability = (letterProbability * weight) / totalWeight
    tokens.push([letter, 0.95 * probability], [` ${letter}`, 0.05 * probability])
  }
  const words = ['The', '**', 'Answer', '\n', 'It']
  for (const word of words) tokens.push([word, (1 - letterProbability) / words.length])
  return tokens.sort(([, a], [, b]) => b - a)
}

const isAuthorized = ({ apiKey }: ModelServerOptions, { headers }: IncomingMessage): boolean =>
  apiKey === undefined || headers.authorization === `Bearer ${apiKey}`

const sendModels = ({ product, model }: ModelServerOptions, response: ServerResponse): void =>
  sendJson(response, 200, documentsByProduct[product].createModelList(model))

const sendError = (
  { product }: ModelServerOptions,
  response: ServerResponse,
  status: number,
  message: string,
): void => sendJson(response, status, documentsByProduct[product].createError(status, message))

const playFault = (options: ModelServerOptions, fault: Fault, response: ServerResponse): void => {
  switch (fault.kind) {
    case 'status':
      response.setHeader('retry-after-ms', '1')
      sendError(options, response, fault.status, fault.message ?? 'it failed')
      return
    case 'stall':
      return
    case 'reset':
      response.destroy()
      return
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
      response.write('{"choices":[', () => response.destroy())
      return
    case 'body':
      response.writeHead(fault.status ?? 200, { 'content-type': 'application/json' })
      response.end(fault.body)
  }
}

const sendJson = (response: ServerResponse, status: number, document: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(document))
}
