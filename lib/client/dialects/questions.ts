import * as E from 'fp-ts/Either'
import { checkImageLimits, decodeImages } from '../../codec/images'
import type { Draft } from '../../codec/json/draft'
import { encodeRequest } from '../../codec/request'
import { decodeModelList, decodeResponse } from '../../codec/response'
import { decodeErrorMessage } from '../../codec/service-errors'
import { type Failure, validation } from '../../failure/failure'
import type { Dialect, ModelRequest } from './dialect'

/**
 * Encodes a request for the `questions` and `systemone` dialects. Unknown fields are forwarded unchanged, and so are `assets`
 * that are not images. Fails with a validation error if there are too many images, if they are too large, or if one is WebP.
 */
export const encodeQuestionsRequest = ({
  request,
  model,
}: ModelRequest): E.Either<Failure, Draft> => {
  const images = decodeImages(request.extra)
  if (E.isLeft(images)) return E.right(encodeRequest(request, model))
  const checked = checkImageLimits(images.right)
  if (E.isLeft(checked)) return checked
  const webp = images.right.find(({ format }) => format === 'webp')
  return webp === undefined
    ? E.right(encodeRequest(request, model))
    : E.left(validation(`assets.${webp.name}`, 'must be PNG or JPEG, not WebP'))
}

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
