import type { DialectName, KeyHeader } from '../dialects/dialect'
import type { ProviderName } from './target'

/** A service that answers typed questions. Adding one that speaks a known dialect means adding a row. */
export interface Provider {
  /** One line for people. */
  readonly summary: string
  /** The base address; absent where everyone runs their own. */
  readonly address?: string
  /** The variable with another base address of this provider. */
  readonly addressVariable?: string
  /** Whether that variable holds a host as Ollama reads it, rather than a URL. */
  readonly readsHost?: true
  /** The dialects that it speaks, the first by default. Paths are given where they differ from the dialect's. */
  readonly dialects: ReadonlyArray<SpokenDialect>
  /** The header of the key, where it is not the dialect's. */
  readonly keyHeader?: KeyHeader
  /** The variables in which the key is looked up. The last one is named by messages. */
  readonly keyVariables: ReadonlyArray<string>
  readonly needsKey: boolean
  /** Whether it runs on this machine, where loading a model can take a minute. */
  readonly isLocal?: true
  /** The response header with the request id, where it is not the dialect's. */
  readonly requestIdHeader?: string
  /** Whether it takes images. */
  readonly takesImages?: true
  /** Whether requests with images, or with questions for a place in one, need TypeSafe's header for them. */
  readonly needsImagesHeader?: true
  readonly defaultModel?: string
  /** How to get a model, where there is no default. */
  readonly modelHint?: string
}

/** A dialect that a provider speaks. */
interface SpokenDialect {
  readonly name: DialectName
  readonly askPath?: string
  readonly modelsPath?: string
}

/** Every provider that svc knows. */
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
    keyVariables: ['OPENAI_API_KEY'],
    needsKey: true,
    defaultModel: 'gpt-6-luna',
  },
  gemini: {
    summary: "Google's Gemini decisions API",
    address: 'https://generativelanguage.googleapis.com',
    addressVariable: 'GOOGLE_GEMINI_BASE_URL',
    dialects: [{ name: 'gemini' }],
    // Google's own client prefers the general variable where both are set.
    takesImages: true,
    keyVariables: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    needsKey: true,
    defaultModel: 'gemini-decision-1',
  },
  openrouter: {
    summary: 'OpenRouter, a gateway to models of many makers',
    address: 'https://openrouter.ai/api',
    // Without the query the list has models of every kind.
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
    summary: 'a LiteLLM proxy of your own: give its address by --base-url',
    dialects: [{ name: 'systemone' }, { name: 'decisions' }],
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
    readsHost: true,
    dialects: [{ name: 'systemone' }],
    keyVariables: ['OLLAMA_API_KEY'],
    needsKey: false,
    isLocal: true,
    modelHint: 'ollama pull nimble, then --model nimble',
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
    keyVariables: [],
    needsKey: false,
    isLocal: true,
    modelHint: 'pass --model with the model that the server was started with',
  },
}
