import * as E from 'fp-ts/Either'
import { decodeModels } from '../../lib/codec/models'
import { decodeResponse } from '../../lib/codec/response'
import { messageOf } from '../../lib/failure/message'
import { answerBody } from './exchange'
import type { Exchange, Named } from './scenario'

const complete = ({ response: { status = 200, fault, raw } }: Exchange): boolean =>
  status >= 200 && status < 300 && fault === undefined && raw === undefined

/** What the production codecs say of a scenario's whole 2xx responses, where it says otherwise. */
export const undecodable = (named: Named): ReadonlyArray<string> => {
  const { exchanges = [], invalid } = named.scenario
  const faults = exchanges.filter(complete).flatMap(({ request, response }) => {
    const body = answerBody(named, { ...response, encoding: undefined })
    const decode = request.method === 'GET' ? decodeModels : decodeResponse
    const decoded = decode(body, '')
    return E.isLeft(decoded) ? [messageOf(decoded.left)] : []
  })
  if (invalid) return faults.length > 0 ? [] : ['"invalid", but every response decodes']
  return faults.map((fault) => `a response does not decode: ${fault}`)
}
