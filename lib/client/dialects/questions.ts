import { decodeModelList } from '../../codec/models'
import { decodeResponse } from '../../codec/response'
import { decodeErrorMessage } from '../../codec/service-errors'
import type { Dialect } from './dialect'
import { encodeQuestionsRequest } from './questions-request'

/** The dialect of `svc serve`, and the default. */
export const questionsDialect: Dialect = {
  name: 'questions',
  askPath: '/v1/questions',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-service-request-id',
  defaultModel: 'svc-latest',
  encodeRequest: encodeQuestionsRequest,
  decodeResponse: (_, { body, requestId }) => decodeResponse(body, requestId),
  decodeFailure: ({ body }, redact) => ({ message: decodeErrorMessage(body, redact) }),
  decodeModels: decodeModelList,
}
