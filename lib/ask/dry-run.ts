import { askBody, askPath } from '../client/client'
import type { ClientConfig } from '../client/env'
import { describeHeaders } from '../client/headers'
import type { AskRequest } from '../codec/request'
import type { Draft } from '../json/draft'

/**
 * Describes what a call would send, with the key shown as `[redacted]`. `Host` and `Content-Length`, which the
 * HTTP client adds, are left out.
 */
export const dryRun = (
  config: ClientConfig,
  userAgent: string,
  request: AskRequest,
  model: string | undefined,
): Draft => ({
  method: 'POST',
  url: config.baseUrl + askPath,
  headers: describeHeaders(config, userAgent, true),
  body: askBody(config, request, model),
})
