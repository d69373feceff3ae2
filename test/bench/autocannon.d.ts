declare module 'autocannon' {
  /** A load: so many requests over so many connections. */
  interface Options {
    readonly url: string
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly connections: number
    readonly amount: number
    /** How often it looks whether it is done, in milliseconds. */
    readonly sampleInt: number
  }

  /** `duration` in seconds, latency in milliseconds. */
  interface Outcome {
    readonly duration: number
    readonly non2xx: number
    readonly errors: number
    readonly latency: { readonly p50: number; readonly p99: number }
  }

  const autocannon: (options: Options) => Promise<Outcome>
  export default autocannon
}
