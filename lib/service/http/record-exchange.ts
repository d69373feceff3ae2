import type { Recorder } from '../../replay/recorder'
import { callerLeft } from '../contract/problem'
import type { RequestStep } from './call'

/** The recorder of exchanges, if the service records them. */
export interface ExchangeRecording {
  readonly recorder?: Pick<Recorder, 'record'> | undefined
}

/**
 * Records the request and its reply as a scenario, if the service records. If the caller has left, nothing is
 * recorded.
 */
export const recordExchange =
  ({ recorder }: ExchangeRecording): RequestStep =>
  async (c, next) => {
    await next()
    const { body, reply } = c.var.call
    if (recorder === undefined || reply === undefined || reply.status === callerLeft.status) return
    const { pathname, search } = new URL(c.req.url)
    recorder.record({
      method: c.req.method,
      path: pathname + search,
      requestBody: body,
      status: reply.status,
      headers: reply.headers,
      responseBody: Buffer.from(reply.body),
    })
  }
