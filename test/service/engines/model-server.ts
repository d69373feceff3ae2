import type { IncomingMessage, ServerResponse } from 'node:http'
import { readRequestBody, startHttpServer } from '../../support/servers'
import { type Shape, shapes } from './model-server-documents'

/** The fault of a stand-in engine. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly message?: string }
  /** Headers never come. */
  | { readonly kind: 'stall' }
  /** The connection is cut before a response. */
  | { readonly kind: 'reset' }
  /** The connection is cut within the body. */
  | { readonly kind: 'cut' }
  /** This body, with a status of 200 if none is given. */
  | { readonly kind: 'body'; readonly body: string; readonly status?: number }

export interface ModelServerOptions {
  readonly shape: Shape
  readonly model: string
  /** The log-weight of an option, by the question and the option's text. */
  readonly prefer: (option: string, question: string) => number
  /** The probability of all letters together; the rest goes to words. Default 0.98. */
  readonly letters?: number
  /** The most tokens listed; default what is asked for. */
  readonly listed?: number
  /** Asked before each call; a fault is played instead of an answer. */
  readonly fault?: (call: number) => Fault | undefined
  /** Milliseconds each answer takes. */
  readonly delay?: number
  readonly apiKey?: string
  /** Looks at each body; a text is the message with which the call is refused. */
  readonly refuse?: (body: Readonly<Record<string, unknown>>) => string | undefined
  /** The maximum number of words that the model reads. It ignores the rest silently. */
  readonly cutTo?: number
}

export interface ModelServer {
  /** With `/v1`. */
  readonly url: string
  /** The bodies of completion calls, in order of arrival. */
  readonly bodies: ReadonlyArray<string>
  readonly headers: ReadonlyArray<IncomingMessage['headers']>
  /** The most calls that were under way at once. */
  readonly atOnce: () => number
  /** The number of connections so far. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** One completion as the model sees it. */
export interface PromptSeen {
  readonly cutTo: number | undefined
  readonly model: string
  readonly prompt: string
  readonly top: number
}

/** An OpenAI-compatible server whose model answers by `prefer`, on a free port. */
export const startModelServer = async (options: ModelServerOptions): Promise<ModelServer> => {
  const bodies: string[] = []
  const headers: Array<IncomingMessage['headers']> = []
  let running = 0
  let most = 0
  const { url, close, connections } = await startHttpServer(async (request, response) => {
    if (request.url === '/v1/models') return models(options, response)
    if (request.url !== '/v1/chat/completions') return fail(options, response, 404, 'Not Found')
    const text = String(await readRequestBody(request))
    bodies.push(text)
    headers.push(request.headers)
    running += 1
    most = Math.max(most, running)
    response.on('close', () => {
      running -= 1
    })
    const fault = options.fault?.(bodies.length)
    if (options.delay !== undefined) await new Promise((done) => setTimeout(done, options.delay))
    if (fault !== undefined) return play(options, fault, response)
    if (!authorized(options, request)) return fail(options, response, 401, 'Unauthorized')
    complete(options, JSON.parse(text), response)
  })
  return { url: `${url}/v1`, bodies, headers, atOnce: () => most, connections, close }
}

interface ChatBody {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly top_logprobs: number
}

const complete = (options: ModelServerOptions, body: ChatBody, response: ServerResponse) => {
  if (body.model !== options.model)
    return fail(options, response, 404, `The model \`${body.model}\` does not exist.`)
  const refused = options.refuse?.(body as never)
  if (refused !== undefined) return fail(options, response, 400, refused)
  const asked = {
    cutTo: options.cutTo,
    model: body.model,
    prompt: body.messages[0]?.content ?? '',
    top: Math.min(body.top_logprobs, options.listed ?? Number.POSITIVE_INFINITY),
  }
  send(response, 200, shapes[options.shape].completion(asked, nextTokens(asked, options)))
}

/** The probabilities of the next token, likeliest first: letters in two spellings, and words. */
const nextTokens = (
  { prompt }: PromptSeen,
  { prefer, letters = 0.98 }: ModelServerOptions,
): ReadonlyArray<readonly [token: string, p: number]> => {
  const [, question = '', shown = ''] = /Question: (.*?)\n\n(.*)\n\nLetter:$/s.exec(prompt) ?? []
  const options = shown.split(/\n(?! )/).map((text) => text.slice(3))
  const weights = options.map((option) => Math.exp(prefer(option, question)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const own = weights.flatMap((weight, i) => {
    const letter = String.fromCharCode(0x41 + i)
    const p = (letters * weight) / total
    return [
      [letter, 0.95 * p],
      [` ${letter}`, 0.05 * p],
    ] as const
  })
  const words = ['The', '**', 'Answer', '\n', 'It'].map((word, _, all) => {
    return [word, (1 - letters) / all.length] as const
  })
  return [...own, ...words].sort(([, one], [, other]) => other - one)
}

const authorized = ({ apiKey }: ModelServerOptions, { headers }: IncomingMessage): boolean =>
  apiKey === undefined || headers.authorization === `Bearer ${apiKey}`

const models = ({ shape, model }: ModelServerOptions, response: ServerResponse): void =>
  send(response, 200, shapes[shape].models(model))

const fail = (
  { shape }: ModelServerOptions,
  response: ServerResponse,
  status: number,
  message: string,
): void => send(response, status, shapes[shape].error(status, message))

const play = (options: ModelServerOptions, fault: Fault, response: ServerResponse): void => {
  switch (fault.kind) {
    case 'status':
      response.setHeader('retry-after-ms', '1')
      fail(options, response, fault.status, fault.message ?? 'it failed')
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

const send = (response: ServerResponse, status: number, document: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(document))
}
