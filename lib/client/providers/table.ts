import { hostedServices } from './hosted-services'
import type { Provider } from './provider'
import type { ProviderName } from './provider-names'

/** The members that the rows of engines share. They speak the dialect of `svc serve`. */
const engineDefaults = {
  dialects: [{ name: 'questions' }],
  keyVariables: [],
  needsKey: false,
  isLocal: true,
  // A request id would help nobody, because no other program has seen the request.
  requestIdHeader: '',
} as const satisfies Partial<Provider>

/**
 * The providers by name. To add one that speaks a known dialect, add a row here or in `hosted-services.ts`, and its name in
 * `provider-names.ts`.
 */
export const providers: Readonly<Record<ProviderName, Provider>> = {
  ...hostedServices,
  litellm: {
    summary: 'your own LiteLLM proxy: pass its address as --base-url',
    dialects: [{ name: 'systemone' }, { name: 'decisions', maxQuestions: 128 }],
    images: 'dialect',
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
    images: 'base64',
    modelHint: 'run ollama pull nimble, then pass --model nimble',
  },
  'llama.cpp': {
    summary: "llama.cpp's server on this machine",
    address: 'http://127.0.0.1:8080',
    dialects: [{ name: 'systemone' }],
    keyVariables: [],
    needsKey: false,
    isLocal: true,
    images: 'data URLs',
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
  laya: {
    summary: 'Laya on this machine',
    address: 'http://127.0.0.1:8000',
    addressVariable: 'LAYA_API_BASE',
    dialects: [{ name: 'systemone' }],
    maxQuestions: 64,
    maxBytes: 2 << 20,
    keyVariables: ['LAYA_API_KEY'],
    needsKey: false,
    isLocal: true,
    hasModelList: false,
    modelHint: 'pass --model english, multilingual or typed-decisions',
  },
  strands: {
    summary: 'Strands Decider on this machine',
    address: 'http://127.0.0.1:8000',
    addressVariable: 'STRANDS_DECIDER_API_BASE',
    dialects: [{ name: 'systemone' }],
    keyVariables: ['STRANDS_DECIDER_API_KEY'],
    needsKey: false,
    isLocal: true,
    hasModelList: false,
    modelHint: 'pass --model, such as strands-decider-2B-hobson-v19',
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
  own: {
    summary: 'a model of your own, trained with svc train, in this process',
    engine: { name: 'own', asksServer: false },
    ...engineDefaults,
  },
}
