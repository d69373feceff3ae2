import * as E from 'fp-ts/Either'
import { checkImageLimits, decodeImages } from '../../codec/images'
import type { Draft } from '../../codec/json/draft'
import { encodeRequest } from '../../codec/request'
import { decodeModelList, decodeResponse } from '../../codec/response'
import { decodeErrorMessage } from '../../codec/service-errors'
import { type Failure, validation } from '../../failure/failure'
import type { Dialect, ModelRequest } from './dialect'
import { chooseImageForm, listModelMember, placeImages } from './service-form'

/**
 * Encodes a request for the `questions` and `systemone` dialects, with images where the service expects them. Unknown fields are
 * forwarded unchanged, and so are `assets` that are not images. Fails with a validation error if there are too many images, if they are
 * too large, or if one is WebP and the service takes `assets`.
 */
export const encodeQuestionsRequest = ({
  request,
  model,
  form,
}: ModelRequest): E.Either<Failure, Draft> => {
  const modelMember = listModelMember(form, model)
  const images = decodeImages(request.extra)
  if (E.isLeft(images) || images.right.length === 0)
    return E.right(encodeRequest(request, modelMember))
  const checked = checkImageLimits(images.right)
  if (E.isLeft(checked)) return checked
  const imageForm = chooseImageForm(form.images, model)
  const webp = images.right.find(({ format }) => format === 'webp')
  if (imageForm === 'dialect' && webp !== undefined)
    return E.left(validation(`assets.${webp.name}`, 'must be PNG or JPEG, not WebP'))
  return E.right(encodeRequest(placeImages(request, images.right, imageForm), modelMember))
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
