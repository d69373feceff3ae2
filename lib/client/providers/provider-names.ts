import { suggest } from '../../text/suggestion'

/** The names of the providers in the table. They are in a file of their own, so that help and flags load without the table. */
export const providerNames = [
  'typesafe',
  'openai',
  'gemini',
  'openrouter',
  'fireworks',
  'perplexity',
  'vercel',
  'venice',
  'litellm',
  'ollama',
  'llama.cpp',
  'vllm',
] as const

/** The name of a provider. */
export type ProviderName = (typeof providerNames)[number]

/** Returns advice on an unknown provider, to append to a message: a similar name, or how to ask a chat model. */
export const explainUnknownProvider = (name: string): string =>
  suggest(name, providerNames) ||
  '; to ask a chat model: svc serve --engine openai --engine-url <url>'
