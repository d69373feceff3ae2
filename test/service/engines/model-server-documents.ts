/** The servers whose documents are imitated. `hosted` is a service such as OpenAI. */
export type ServerProduct = 'vllm' | 'sglang' | 'llama.cpp' | 'ollama' | 'hosted'

/** A completion request. `prompt` is the text of its only message. */
export interface PromptRequest {
  /** The maximum number of tokens that the model reads; `undefined` means no limit. */
  readonly maxReadTokens: number | undefined
  readonly model: string
  readonly prompt: string
  /** The number of tokens to list. */
  readonly listedTokens: number
}

export type TokenProbability = readonly [token: string, probability: number]

/** Creates the documents of a server. */
interface ServerDocuments {
  readonly createCompletion: (
    request: PromptRequest,
    tokens: ReadonlyArray<TokenProbability>,
  ) => unknown
  readonly createModelList: (model: string) => unknown
  readonly createError: (status: number, message: string) => unknown
}

/** `zeroLogprob` is the server's log-probability for the probability 0. */
const createTokenEntry = ([token, probability]: TokenProbability, zeroLogprob = -9999) => ({
  token,
  logprob: probability === 0 ? zeroLogprob : Math.log(probability),
  bytes: [...Buffer.from(token)],
})

/** Counts tokens as a model that reads each character as a token. */
const countUsage = ({ prompt, maxReadTokens = prompt.length }: PromptRequest) => {
  const promptTokens = Math.min(maxReadTokens, prompt.length)
  return { prompt_tokens: promptTokens, completion_tokens: 1, total_tokens: promptTokens + 1 }
}

const createChatCompletion = (
  request: PromptRequest,
  logprobs: unknown,
  extraMembers: Record<string, unknown> = {},
) => ({
  id: 'chatcmpl-0001',
  object: 'chat.completion',
  created: 1_750_000_000,
  model: request.model,
  choices: [{ index: 0, message: { role: 'assistant' }, logprobs, finish_reason: 'length' }],
  usage: countUsage(request),
  ...extraMembers,
})

/** Creates the log-probabilities of all servers but llama.cpp: the generated token, with the list of alternatives. */
const createLogprobs = (tokens: ReadonlyArray<TokenProbability>, listedTokens: number) => {
  const listed = tokens.slice(0, listedTokens).map((token) => createTokenEntry(token))
  return { content: [{ ...listed[0], top_logprobs: listed }] }
}

/** Creates the log-probabilities of llama.cpp, which may list a text with two ids: here `A`, with 90 % and 10 % of its probability. */
const createLlamaLogprobs = (tokens: ReadonlyArray<TokenProbability>, listedTokens: number) => {
  const withTwoIds: TokenProbability[] = []
  for (const [token, probability] of tokens)
    if (token === 'A') withTwoIds.push([token, 0.9 * probability], [token, 0.1 * probability])
    else withTwoIds.push([token, probability])
  const lowestFloat = -3.4028234663852886e38
  const listed = withTwoIds
    .slice(0, listedTokens)
    .map((token, id) => ({ id, ...createTokenEntry(token, lowestFloat) }))
  return { content: [{ ...listed[0], top_logprobs: listed }] }
}

const createList = (model: string, extraMembers: Record<string, unknown>) => ({
  object: 'list',
  data: [{ id: model, object: 'model', created: 1_750_000_000, ...extraMembers }],
})

/** The documents of each server, in its own form. */
export const documentsByProduct: Readonly<Record<ServerProduct, ServerDocuments>> = {
  vllm: {
    createCompletion: (request, tokens) =>
      createChatCompletion(request, createLogprobs(tokens, request.listedTokens), {
        prompt_logprobs: null,
        service_tier: null,
      }),
    createModelList: (model) =>
      createList(model, { owned_by: 'vllm', root: model, max_model_len: 4096 }),
    createError: (status, message) => ({
      error: { message, type: 'BadRequestError', param: null, code: status },
    }),
  },
  sglang: {
    createCompletion: (request, tokens) =>
      createChatCompletion(request, createLogprobs(tokens, request.listedTokens), {
        metadata: { weight_version: 'default' },
      }),
    createModelList: (model) =>
      createList(model, { owned_by: 'sglang', root: model, max_model_len: 4096 }),
    createError: (status, message) => ({
      object: 'error',
      message,
      type: 'BadRequestError',
      param: null,
      code: status,
    }),
  },
  'llama.cpp': {
    createCompletion: (request, tokens) =>
      createChatCompletion(request, createLlamaLogprobs(tokens, request.listedTokens), {
        timings: { prompt_n: 1 },
        system_fingerprint: 'b1-0000000',
      }),
    createModelList: (model) => ({
      models: [{ name: model, model }],
      ...createList(model, { owned_by: 'llamacpp', meta: { n_ctx_train: 4096 } }),
    }),
    createError: (status, message) => ({
      error: { code: status, message, type: status === 503 ? 'unavailable_error' : 'server_error' },
    }),
  },
  ollama: {
    createCompletion: (request, tokens) =>
      createChatCompletion(request, createLogprobs(tokens, request.listedTokens), {
        system_fingerprint: 'fp_ollama',
      }),
    createModelList: (model) => createList(model, { owned_by: 'library' }),
    createError: (_, message) => ({
      error: { message, type: 'api_error', param: null, code: null },
    }),
  },
  hosted: {
    createCompletion: (request, tokens) =>
      createChatCompletion(
        request,
        { ...createLogprobs(tokens, request.listedTokens), refusal: null },
        { service_tier: 'default' },
      ),
    createModelList: (model) => createList(model, { owned_by: 'system' }),
    createError: (_, message) => ({
      error: { message, type: 'invalid_request_error', param: null, code: null },
    }),
  },
}
