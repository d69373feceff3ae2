import type { ClientEnv } from './env'

/** Returns a client whose calls share connections: they are left open between calls. R5 */
export const keepingConnections = ({ runtime, ...client }: ClientEnv): ClientEnv => {
  const { fetch, clock, random } = runtime
  return {
    ...client,
    runtime: {
      ...{ clock, random },
      fetch: (url, init) => fetch(url, { ...init, keepAlive: true }),
    },
  }
}
