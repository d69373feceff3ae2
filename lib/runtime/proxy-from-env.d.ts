declare module 'proxy-from-env' {
  /** The proxy for a URL as the environment has it, or `''`. */
  export const getProxyForUrl: (url: string) => string
}
