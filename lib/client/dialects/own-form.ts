import * as E from 'fp-ts/Either'
import { checkImageLimits, decodeImages } from '../../codec/images'
import type { Draft } from '../../codec/json/draft'
import { encodeRequest } from '../../codec/request'
import { type Failure, validation } from '../../failure/failure'
import type { ModelRequest } from './dialect'

/**
 * Writes a request in the form of the specification, which forwards members that svc does not know as they are, and
 * `assets` that are no images too. Fails with a validation error for images that this form does not take.
 */
export const encodeOwnForm = ({
  request,
  model,
  service,
}: ModelRequest): E.Either<Failure, Draft> => {
  const images = decodeImages(request.extra)
  if (E.isLeft(images)) return E.right(encodeRequest(request, model))
  const checked = checkImageLimits(images.right)
  if (E.isLeft(checked)) return checked
  const webp = images.right.find(({ format }) => format === 'webp')
  return webp === undefined
    ? E.right(encodeRequest(request, model))
    : E.left(validation(`assets.${webp.name}`, `${service} takes PNG or JPEG images, not WebP`))
}
