import * as E from 'fp-ts/Either'
import { questionsDialect } from '../../client/dialects/questions'
import { systemoneDialect } from '../../client/dialects/systemone'
import type { Draft } from '../../codec/json/draft'
import { type JsonValue, memberIn } from '../../codec/json/json'
import { decodeAndCheckRequest } from '../../codec/request-faults'
import { servedDecisions } from './served-decisions'
import type { DecodedRequest, ServedDialect } from './served-dialect'

const encodeResponse: DecodedRequest['encodeResponse'] = ({ model, answers, usage }) =>
  E.right({ model, answers: new Map<string, Draft>(answers), usage })

/** Creates a decoder of requests whose responses are encoded by `encode`. */
const createRequestDecoder =
  (encode: DecodedRequest['encodeResponse']): ServedDialect['decodeRequest'] =>
  (document) => {
    const request = decodeAndCheckRequest(document)
    return E.isLeft(request) ? request : E.right({ request: request.right, encodeResponse: encode })
  }

/** The `questions` dialect, for `svc serve`. */
const servedQuestions: ServedDialect = {
  askPath: questionsDialect.askPath,
  requestIdHeader: questionsDialect.requestIdHeader,
  clientDialects: ['questions', 'systemone'],
  stateMember: 'state',
  takesParts: true,
  maxQuestions: 1000,
  matches: (document) => memberIn(document, 'state') !== undefined,
  decodeRequest: createRequestDecoder(encodeResponse),
  encodeFailure: ({ status, type, message, faults }) => ({
    status,
    body: { detail: faults?.map((fault) => ({ ...fault })) ?? { error_type: type, message } },
  }),
}

/**
 * The `systemone` dialect, for `svc serve`. Its documents are those of `questions`. Unknown token counts are 0, because LiteLLM requires
 * numbers. A refusal is an answer of a type that TypeSafe does not have; its SDKs leave such an answer out or pass it on.
 */
const servedSystemone: ServedDialect = {
  ...servedQuestions,
  askPath: systemoneDialect.askPath,
  requestIdHeader: systemoneDialect.requestIdHeader,
  decodeRequest: createRequestDecoder((response) => {
    const { input_tokens, output_tokens } = response.usage
    const usage = { input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0 }
    return encodeResponse({ ...response, usage })
  }),
}

/** The dialects of `svc serve`. The first is the default. */
export const servedDialects: readonly [ServedDialect, ...ServedDialect[]] = [
  servedQuestions,
  servedSystemone,
  servedDecisions,
]

/** Returns the route that a document belongs to. Returns `undefined` if it belongs to the route of `dialect`, or to no route. */
export const findOtherRoute = (dialect: ServedDialect, document: JsonValue): string | undefined => {
  if (dialect.matches(document)) return undefined
  return servedDialects.find((other) => other.matches(document))?.askPath
}
