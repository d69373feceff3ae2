import { servedDialects } from '../dialects/served-dialects'
import { listCallerKeys } from './record-request'
import { findSentId } from './respond'
import type { RequestStep, Service } from './service'

/** Adds the answer to the answer log, if the service keeps one and the status is 2xx. */
export const logAnswer = ({ answerLog, clock }: Service): RequestStep => {
  if (answerLog === undefined) return (_, next) => next()
  return async (c, next) => {
    await next()
    const request = c.get('request')
    const { reply, route, dialect, body, holder } = request
    const isAsk = servedDialects.some(({ askPath }) => askPath === route)
    if (!isAsk || reply === undefined || reply.status < 200 || reply.status > 299) return
    answerLog.add({
      dialect,
      requestBody: body,
      responseBody: Buffer.from(reply.body),
      ask: request.answered,
      timeMs: clock.now(),
      caller: holder?.name,
      requestId: findSentId(request, reply.headers),
      serviceRequestId: request.id,
      callerKeys: listCallerKeys(c.env.incoming.headers, new URL(c.req.url).search),
    })
  }
}
