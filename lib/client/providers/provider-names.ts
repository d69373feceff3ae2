import { suggest } from '../../text/suggestion'

/**
 * The names of the services that companies run. The names of all providers are in a file of their own, so that help and flags load
 * without the table.
 */
export const hostedServiceNames = [
  'typesafe',
  'openai',
  'gemini',
  'openrouter',
  'fireworks',
  'perplexity',
  'vercel',
  'venice',
  'nace',
  'bespoke',
  'eu-jev',
  'parallel',
  'cloudflare',
  'databricks',
  'foundry',
  'azure',
] as const

/** The name of a service that a company runs. */
export type HostedServiceName = (typeof hostedServiceNames)[number]

/** The names of all services: those that companies run, and servers of your own. */
export const serviceNames = [
  ...hostedServiceNames,
  'litellm',
  'ollama',
  'llama.cpp',
  'vllm',
  'laya',
  'strands',
] as const

/** The name of a service. */
export type ServiceName = (typeof serviceNames)[number]

/** The providers that are engines in this process. Their names are those of the engines. */
export const engineProviderNames = ['embedded', 'chat', 'local', 'own'] as const

/** The name of a provider that is an engine in this process. */
export type EngineProviderName = (typeof engineProviderNames)[number]

/** The names of all providers. */
export const providerNames = [...serviceNames, ...engineProviderNames] as const

/** The name of a provider. */
export type ProviderName = (typeof providerNames)[number]

/** Returns advice on an unknown provider, to append to a message: a similar name, or how to ask a chat model. */
export const explainUnknownProvider = (name: string): string =>
  suggest(name, providerNames) ||
  '; to ask a chat model: --provider chat --base-url <url> --model <name>'
