import * as E from 'fp-ts/Either'
import { decodeAnyModelList, decodeModelList, decodeResponse } from '../../lib/codec/response'
import { messageOf } from '../../lib/failure/report'
import type { RecordedExchange } from '../../lib/replay/decode-scenario'
import { type NamedScenario, parseArguments, readExchanges } from '../../lib/replay/scenarios'

/** The request id does not matter here, so the decoders get none from a header. */
const noHeaderRequestId = ''

/**
 * Decodes the complete 2xx responses of a scenario with the codecs of svc. Returns the faults as problems. In a scenario marked
 * `invalid`, the only problem is that there is no fault.
 */
export const checkDecoding = async (
  namedScenario: NamedScenario,
): Promise<ReadonlyArray<string>> => {
  const faults: string[] = []
  for (const exchange of await readExchanges(namedScenario)) {
    if (!isCompleteSuccess(exchange) || isOtherDialect(exchange)) continue
    const decode = selectDecoder(namedScenario, exchange)
    const decoded = decode(exchange.response.decodedBody, noHeaderRequestId)
    if (E.isLeft(decoded)) faults.push(`a response does not decode: ${messageOf(decoded.left)}`)
  }
  if (!namedScenario.scenario.invalid) return faults
  return faults.length > 0 ? [] : ['"invalid", but every response decodes']
}

const isCompleteSuccess = ({ response: { status, fault, raw } }: RecordedExchange): boolean =>
  status >= 200 && status < 300 && fault === undefined && raw === undefined

/** Returns `true` for answers in another dialect than that of `/v1/questions`. The scenario's expected output shows whether svc decodes them. */
const isOtherDialect = ({ request: { method, path } }: RecordedExchange): boolean =>
  method === 'POST' && !path.endsWith('/v1/questions')

/** Selects the decoder of a response. With `--provider`, a list of models may have the form of OpenAI's API. */
const selectDecoder = ({ scenario }: NamedScenario, { request }: RecordedExchange) => {
  if (request.method !== 'GET') return decodeResponse
  return parseArguments(scenario).includes('--provider') ? decodeAnyModelList : decodeModelList
}
