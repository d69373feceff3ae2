import type { ClientEnv } from './env'

/** A client for many calls, which share connections that are left open in between. R5 */
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
