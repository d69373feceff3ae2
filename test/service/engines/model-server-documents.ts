import type { PromptSeen } from './model-server'

/** The servers whose documents are followed. */
export type Shape = 'vllm' | 'sglang' | 'llama.cpp' | 'ollama' | 'hosted'

type Tokens = ReadonlyArray<readonly [token: string, p: number]>

interface Documents {
  readonly completion: (asked: PromptSeen, tokens: Tokens) => unknown
  readonly models: (model: string) => unknown
  readonly error: (status: number, message: string) => unknown
}

const bytesOf = (token: string): ReadonlyArray<number> => [...Buffer.from(token)]

const entry = ([token, p]: Tokens[number], none = -9999) => ({
  token,
  logprob: p === 0 ? none : Math.log(p),
  bytes: bytesOf(token),
})

/** A model that reads each sign as a token, but no more words than it has room for. */
const usageOf = ({ prompt, cutTo }: PromptSeen) => {
  const read = cutTo === undefined ? prompt.length : Math.min(cutTo, prompt.length)
  return { prompt_tokens: read, completion_tokens: 1, total_tokens: read + 1 }
}

const common = (asked: PromptSeen, logprobs: unknown, extra: Record<string, unknown> = {}) => ({
  id: 'chatcmpl-0001',
  object: 'chat.completion',
  created: 1_750_000_000,
  model: asked.model,
  choices: [{ index: 0, message: { role: 'assistant' }, logprobs, finish_reason: 'length' }],
  usage: usageOf(asked),
  ...extra,
})

/** The members of every shape but llama.cpp's: the generated token with the list beside it. */
const content = (tokens: Tokens, top: number, extra: Record<string, unknown> = {}) => {
  const listed = tokens.slice(0, top).map((token) => entry(token))
  return { content: [{ ...listed[0], top_logprobs: listed }], ...extra }
}

const list = (model: string, fields: Record<string, unknown>) => ({
  object: 'list',
  data: [{ id: model, object: 'model', created: 1_750_000_000, ...fields }],
})

const openaiError = (status: number, message: string, type: string) => ({
  error: { message, type, param: null, code: status },
})

/** Documents as each server writes them. */
export const shapes: Readonly<Record<Shape, Documents>> = {
  vllm: {
    completion: (asked, tokens) =>
      common(asked, content(tokens, asked.top), { prompt_logprobs: null, service_tier: null }),
    models: (model) => list(model, { owned_by: 'vllm', root: model, max_model_len: 4096 }),
    error: (status, message) => openaiError(status, message, 'BadRequestError'),
  },
  sglang: {
    completion: (asked, tokens) =>
      common(asked, content(tokens, asked.top), { metadata: { weight_version: 'default' } }),
    models: (model) => list(model, { owned_by: 'sglang', root: model, max_model_len: 4096 }),
    error: (status, message) => ({
      object: 'error',
      message,
      type: 'BadRequestError',
      param: null,
      code: status,
    }),
  },
  /** `id` beside each token; one text may stand under two ids; probability 0 is the lowest float. */
  'llama.cpp': {
    completion: (asked, tokens) => {
      const listed = tokens
        .flatMap(
          ([token, p]): Tokens =>
            token === 'A'
              ? [
                  [token, 0.9 * p],
                  [token, 0.1 * p],
                ]
              : [[token, p]],
        )
        .slice(0, asked.top)
        .map((token, id) => ({ id, ...entry(token, -3.4028234663852886e38) }))
      return common(
        asked,
        { content: [{ ...listed[0], top_logprobs: listed }] },
        { timings: { prompt_n: 1 }, system_fingerprint: 'b1-0000000' },
      )
    },
    models: (model) => ({
      models: [{ name: model, model }],
      ...list(model, { owned_by: 'llamacpp', meta: { n_ctx_train: 4096 } }),
    }),
    error: (status, message) => ({
      error: { code: status, message, type: status === 503 ? 'unavailable_error' : 'server_error' },
    }),
  },
  ollama: {
    completion: (asked, tokens) =>
      common(asked, content(tokens, asked.top), { system_fingerprint: 'fp_ollama' }),
    models: (model) => list(model, { owned_by: 'library' }),
    error: (_, message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
  },
  hosted: {
    completion: (asked, tokens) =>
      common(asked, content(tokens, asked.top, { refusal: null }), { service_tier: 'default' }),
    models: (model) => list(model, { owned_by: 'system' }),
    error: (_, message) => ({
      error: { message, type: 'invalid_request_error', param: null, code: null },
    }),
  },
}
