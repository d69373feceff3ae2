import type { ClientConfig } from './env'

/** The headers of a request, including the API key. The HTTP client adds `Host` and `Content-Length`. D3 */
export const requestHeaders = (
  config: Pick<ClientConfig, 'apiKey'>,
  userAgent: string,
  hasBody: boolean,
): Readonly<Record<string, string>> => ({
  Authorization: `Bearer ${config.apiKey.reveal()}`,
  Accept: 'application/json',
  'Accept-Encoding': 'gzip, deflate, br',
  'User-Agent': userAgent,
  ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
})

/** The same headers for display, with the API key shown as `[redacted]`. */
export const describeHeaders = (
  config: Pick<ClientConfig, 'apiKey'>,
  userAgent: string,
  hasBody: boolean,
): Readonly<Record<string, string>> => ({
  ...requestHeaders(config, userAgent, hasBody),
  Authorization: `Bearer ${config.apiKey}`,
})
