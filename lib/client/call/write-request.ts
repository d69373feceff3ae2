import * as E from 'fp-ts/Either'
import { readImages } from '../../codec/images'
import type { Draft } from '../../codec/json/draft'
import { type Failure, validation } from '../../failure/failure'
import type { ModelRequest } from '../dialects/dialect'
import type { Destination } from '../providers/destination'

/**
 * Writes the body of a request in the dialect of the service that is asked. Fails with a validation error if the request
 * has images and the service takes none, and for anything else that the dialect cannot say.
 */
export const encodeForService = (
  { service, takesImages, dialect }: Pick<Destination, 'service' | 'takesImages' | 'dialect'>,
  asked: ModelRequest,
): E.Either<Failure, Draft> => {
  const images = readImages(asked.request.extra)
  const hasImages = E.isRight(images) && images.right.length > 0
  return hasImages && !takesImages
    ? E.left(validation('assets', `${service} takes no images`))
    : dialect.encodeRequest(asked)
}
