import type { ServiceName } from './provider-names'
import { providers } from './table'

/** The servers on this machine that may be too old to answer typed questions, and the versions that do. */
const localServers: Partial<
  Readonly<Record<ServiceName, readonly [name: string, versions: string]>>
> = {
  ollama: ['Ollama', '0.40.4 and later do'],
  'llama.cpp': ['llama.cpp', 'newer ones do'],
  vllm: ['vLLM', '0.32 and later do'],
}

/**
 * Advises what to do about a server that lists models, but does not know the address for questions: ask its model itself, with the
 * engine `chat`. `provider` is the name that the user gave; `address` is the base address of the server, by default the provider's.
 */
export const adviseOnMissingRoute = (
  provider: string | undefined,
  address?: string,
): string | undefined => {
  const known = Object.entries(localServers).find(([name]) => name === provider)
  if (known === undefined) return undefined
  const [name, [server, versions]] = known
  const base = address ?? providers[name as ServiceName].address ?? ''
  const command = `svc ask --provider chat --base-url ${base.replace(/\/v1$/, '')}/v1 --model <model>`
  return `this ${server} answers no typed questions (${versions}): ${command}`
}
