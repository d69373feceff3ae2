import type { DialectName } from '../dialects/dialect'
import type { EngineProviderName, ProviderName } from './provider-names'

/** A service that answers typed questions, or an engine in this process that does. */
export interface Provider {
  /** Describes the service in one line, for `svc doctor`. */
  readonly summary: string
  /** The base address. Absent if everyone runs a server of their own. */
  readonly address?: string
  /** The environment variable with another base address of this provider. */
  readonly addressVariable?: string
  /** Set if the variable has a host in the format of `OLLAMA_HOST`, not a URL. */
  readonly addressFormat?: 'ollama-host'
  /** The dialects of the service. The first is the default. */
  readonly dialects: ReadonlyArray<ProviderDialect>
  /** The environment variables that may have the key. The first one that is set has it; messages name the last one. */
  readonly keyVariables: ReadonlyArray<string>
  readonly needsKey: boolean
  /** Set if the provider is an engine in this process. Nothing is sent to a service, unless the engine asks one. */
  readonly engine?: EngineFacts
  /** Set if the service runs on this machine. Loading its model can take a minute. */
  readonly isLocal?: true
  /** The response header with the request id, if it differs from the dialect's. */
  readonly requestIdHeader?: string
  readonly takesImages?: true
  /** The maximum number of questions in a request, if the service has another limit than its dialect. */
  readonly maxQuestions?: number
  /** The maximum size of a request in bytes, if the service has a limit. */
  readonly maxBytes?: number
  /** Set if the service reads all questions of a request together, so that one can change the answers to another. */
  readonly decidesJointly?: true
  /** Set if requests that are about images need TypeSafe's header for them. */
  readonly needsImagesHeader?: true
  readonly defaultModel?: string
  /** Advice on how to name a model. Required if there is no default model. */
  readonly modelHint?: string
}

/** The facts about an engine in this process. */
export interface EngineFacts {
  readonly name: EngineProviderName
  /** `true` if the engine asks a model server, whose address the user must name. */
  readonly asksServer: boolean
}

/** A dialect that a provider supports, and the paths that differ from the dialect's. */
interface ProviderDialect {
  readonly name: DialectName
  readonly askPath?: string
  readonly modelsPath?: string
  /** The maximum number of questions in a request, if it differs from that of the provider. */
  readonly maxQuestions?: number
}

/** The members that the rows of engines share. They speak the dialect of `svc serve`. */
const engineDefaults = {
  dialects: [{ name: 'questions' }],
  keyVariables: [],
  needsKey: false,
  isLocal: true,
  // A request id would help nobody, because no other program has seen the request.
  requestIdHeader: '',
} as const satisfies Partial<Provider>

/** The providers by name. To add one that speaks a known dialect, add a row here and its name in `provider-names.ts`. */
export const providers: Readonly<Record<ProviderName, Provider>> = {
  typesafe: {
    summary: "TypeSafe's System One",
    address: 'https://api.typesafe.ai',
    addressVariable: 'TYPESAFE_BASE_URL',
    dialects: [{ name: 'systemone' }],
    takesImages: true,
    needsImagesHeader: true,
    keyVariables: ['TYPESAFE_API_KEY'],
    needsKey: true,
    defaultModel: 'jev-latest',
  },
  openai: {
    summary: "OpenAI's decisions API",
    address: 'https://api.openai.com',
    addressVariable: 'OPENAI_BASE_URL',
    dialects: [{ name: 'decisions' }],
    takesImages: true,
    maxBytes: 10 << 20,
    keyVariables: ['OPENAI_API_KEY'],
    needsKey: true,
    defaultModel: 'gpt-6-luna',
  },
  gemini: {
    summary: "Google's Gemini decisions API",
    address: 'https://generativelanguage.googleapis.com',
    addressVariable: 'GOOGLE_GEMINI_BASE_URL',
    dialects: [{ name: 'gemini' }],
    takesImages: true,
    // Google's client also prefers GOOGLE_API_KEY if both are set.
    keyVariables: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    needsKey: true,
    defaultModel: 'gemini-decision-1',
  },
  openrouter: {
    summary: 'OpenRouter, a gateway to models of many makers',
    address: 'https://openrouter.ai/api',
    // Without the query the list also has models that answer no typed questions.
    dialects: [{ name: 'systemone', modelsPath: '/v1/models?output_modalities=decisions' }],
    takesImages: true,
    keyVariables: ['OPENROUTER_API_KEY'],
    needsKey: true,
    defaultModel: '~typesafe/jev-latest',
  },
  fireworks: {
    summary: 'Fireworks AI',
    address: 'https://api.fireworks.ai/inference',
    dialects: [{ name: 'systemone' }, { name: 'decisions' }],
    keyVariables: ['FIREWORKS_API_KEY'],
    needsKey: true,
    modelHint: 'pass --model accounts/<account>/models/<model>',
  },
  perplexity: {
    summary: "Perplexity's decider",
    address: 'https://api.perplexity.ai',
    dialects: [{ name: 'systemone', askPath: '/v1/decisions' }],
    maxQuestions: 128,
    maxBytes: 32 << 20,
    decidesJointly: true,
    keyVariables: ['PERPLEXITY_API_KEY'],
    needsKey: true,
    requestIdHeader: 'x-request-id',
    defaultModel: 'pplx-decider-latest',
  },
  vercel: {
    summary: "Vercel's AI Gateway",
    address: 'https://ai-gateway.vercel.sh',
    dialects: [
      { name: 'decisions' },
      { name: 'systemone', askPath: '/typesafe/v1/systemone', modelsPath: '/v1/models' },
    ],
    takesImages: true,
    keyVariables: ['AI_GATEWAY_API_KEY'],
    needsKey: true,
    modelHint: 'pass --model, such as typesafe-ai/jev',
  },
  venice: {
    summary: 'Venice',
    address: 'https://api.venice.ai/api',
    dialects: [{ name: 'systemone' }],
    keyVariables: ['VENICE_API_KEY'],
    needsKey: true,
    modelHint: 'pass --model: svc models --provider venice lists them',
  },
  litellm: {
    summary: 'your own LiteLLM proxy: pass its address as --base-url',
    dialects: [{ name: 'systemone' }, { name: 'decisions', maxQuestions: 128 }],
    takesImages: true,
    needsImagesHeader: true,
    keyVariables: ['LITELLM_API_KEY'],
    needsKey: true,
    requestIdHeader: 'x-litellm-call-id',
    modelHint: 'pass --model <provider>/<model>, one that the proxy has',
  },
  ollama: {
    summary: 'Ollama on this machine',
    address: 'http://127.0.0.1:11434',
    addressVariable: 'OLLAMA_HOST',
    addressFormat: 'ollama-host',
    dialects: [{ name: 'systemone' }],
    maxQuestions: 64,
    maxBytes: 64 << 10,
    keyVariables: ['OLLAMA_API_KEY'],
    needsKey: false,
    isLocal: true,
    modelHint: 'run ollama pull nimble, then pass --model nimble',
  },
  'llama.cpp': {
    summary: "llama.cpp's server on this machine",
    address: 'http://127.0.0.1:8080',
    dialects: [{ name: 'systemone' }],
    keyVariables: [],
    needsKey: false,
    isLocal: true,
    modelHint: 'pass --model with the --alias that the server was started with',
  },
  vllm: {
    summary: 'vLLM on this machine',
    address: 'http://127.0.0.1:8000',
    dialects: [{ name: 'systemone' }],
    maxQuestions: 64,
    keyVariables: [],
    needsKey: false,
    isLocal: true,
    modelHint: 'pass --model with the model that the server was started with',
  },
  embedded: {
    summary: 'the engine that is built into svc, in this process',
    engine: { name: 'embedded', asksServer: false },
    ...engineDefaults,
  },
  chat: {
    summary: 'a chat model with log-probabilities at --base-url, read in this process',
    engine: { name: 'chat', asksServer: true },
    ...engineDefaults,
    keyVariables: ['SERVICE_ENGINE_API_KEY'],
  },
  local: {
    summary: 'a language model in a GGUF file, run in this process',
    engine: { name: 'local', asksServer: false },
    ...engineDefaults,
  },
}
