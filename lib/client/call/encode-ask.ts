import * as E from 'fp-ts/Either'
import { decodeImages } from '../../codec/images'
import type { Draft } from '../../codec/json/draft'
import type { AskRequest } from '../../codec/request'
import { type Failure, usage, validation } from '../../failure/failure'
import type { ModelRequest } from '../dialects/dialect'
import type { Destination } from '../providers/destination'

/** Returns `model`, or the default model of the destination. Fails with a usage error if neither is known. */
export const chooseModel = (
  { service, model: defaultModel, modelHint }: Destination,
  model: string | undefined,
): E.Either<Failure, string> => {
  const chosen = model || defaultModel
  return chosen === undefined
    ? E.left(usage(`${service} has no default model: ${modelHint}`))
    : E.right(chosen)
}

/** A request for a model of a service, and its body in the dialect of that service. */
interface EncodedAsk {
  readonly modelRequest: ModelRequest
  readonly body: Draft
}

/**
 * Encodes the body of a request whose questions have been checked. `model` overrides the default model of the destination.
 * Fails with a usage error if there is no model, and with a validation error if the service does not support the request.
 */
export const encodeAsk = (
  destination: Destination,
  request: AskRequest,
  model?: string,
): E.Either<Failure, EncodedAsk> => {
  const chosen = chooseModel(destination, model)
  if (E.isLeft(chosen)) return chosen
  const modelRequest: ModelRequest = { request, model: chosen.right, service: destination.service }
  const body = encodeForService(destination, modelRequest)
  return E.isLeft(body) ? body : E.right({ modelRequest, body: body.right })
}

/** Encodes the body of a request. Fails with a validation error if the service or its dialect does not support the request. */
export const encodeForService = (
  { service, takesImages, dialect }: Pick<Destination, 'service' | 'takesImages' | 'dialect'>,
  modelRequest: ModelRequest,
): E.Either<Failure, Draft> => {
  const images = decodeImages(modelRequest.request.extra)
  const hasImages = E.isRight(images) && images.right.length > 0
  return hasImages && !takesImages
    ? E.left(validation('assets', `${service} does not accept images`))
    : dialect.encodeRequest(modelRequest)
}
