import * as E from 'fp-ts/Either'
import { decodeAnyModelList, decodeModelList } from '../../lib/codec/models'
import { decodeResponse } from '../../lib/codec/response'
import { messageOf } from '../../lib/failure/message'
import type { RecordedExchange } from '../../lib/replay/scenario'
import { type NamedScenario, parseArguments, readExchanges } from '../../lib/replay/scenarios'

const isWhole = ({ response: { status, fault, raw } }: RecordedExchange): boolean =>
  status >= 200 && status < 300 && fault === undefined && raw === undefined

/** What the production codecs say of a scenario's whole 2xx responses, where it says otherwise. */
export const undecodable = async (named: NamedScenario): Promise<ReadonlyArray<string>> => {
  const { scenario } = named
  const faults = (await readExchanges(named)).filter(isWhole).flatMap(({ request, response }) => {
    // Whether an answer in another dialect decodes shows in what the scenario prints.
    if (request.method === 'POST' && !request.path.endsWith('/v1/questions')) return []
    const namesProvider = parseArguments(scenario).includes('--provider')
    const decodeList = namesProvider ? decodeAnyModelList : decodeModelList
    const decode = request.method === 'GET' ? decodeList : decodeResponse
    const decoded = decode(response.decodedBody, '')
    return E.isLeft(decoded) ? [messageOf(decoded.left)] : []
  })
  if (scenario.invalid) return faults.length > 0 ? [] : ['"invalid", but every response decodes']
  return faults.map((fault) => `a response does not decode: ${fault}`)
}
