import * as E from 'fp-ts/Either'
import { decodeModels } from '../../codec/models'
import { encodeRequest } from '../../codec/request'
import { decodeResponse } from '../../codec/response'
import { readErrorMessage } from '../../codec/service-errors'
import type { Dialect } from './dialect'

/** The dialect of the specification, which `svc serve` speaks. spec: HTTP API; D2, D44, D47 */
export const questions: Dialect = {
  name: 'questions',
  askPath: '/v1/questions',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-service-request-id',
  defaultModel: 'svc-latest',
  writeRequest: ({ request, model }) => E.right(encodeRequest(request, model)),
  readResponse: (_, { body, requestId }) => decodeResponse(body, requestId),
  readFailure: ({ body }, redact) => ({ message: readErrorMessage(body, redact) }),
  readModels: decodeModels,
}
