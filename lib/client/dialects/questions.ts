import { decodeModelList } from '../../codec/models'
import { decodeResponse } from '../../codec/response'
import { readErrorMessage } from '../../codec/service-errors'
import type { Dialect } from './dialect'
import { writeOwnForm } from './own-form'

/** The dialect of the specification, which `svc serve` speaks. */
export const questions: Dialect = {
  name: 'questions',
  askPath: '/v1/questions',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-service-request-id',
  defaultModel: 'svc-latest',
  writeRequest: writeOwnForm,
  readResponse: (_, { body, requestId }) => decodeResponse(body, requestId),
  readFailure: ({ body }, redact) => ({ message: readErrorMessage(body, redact) }),
  readModels: decodeModelList,
}
