import { decodeModelList } from '../../codec/models'
import { decodeResponse } from '../../codec/response'
import { decodeErrorMessage } from '../../codec/service-errors'
import type { Dialect } from './dialect'
import { encodeOwnForm } from './own-form'

/** The dialect of the specification, which `svc serve` speaks. */
export const questionsDialect: Dialect = {
  name: 'questions',
  askPath: '/v1/questions',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-service-request-id',
  defaultModel: 'svc-latest',
  encodeRequest: encodeOwnForm,
  decodeResponse: (_, { body, requestId }) => decodeResponse(body, requestId),
  decodeFailure: ({ body }, redact) => ({ message: decodeErrorMessage(body, redact) }),
  decodeModels: decodeModelList,
}
