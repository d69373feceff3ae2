import * as E from 'fp-ts/Either'
import {
  createAssets,
  createImageState,
  maxImageBytes,
  type RequestImage,
  recognizeImage,
  stateTextMember,
} from '../codec/images'
import type { AskRequest, Template } from '../codec/request'
import { type Failure, usage, validation } from '../failure/failure'
import { encodeValue } from './values'

/** PNG, JPEG or WebP images by name, as bytes such as `readFile` returns. The first bytes of an image determine its format. */
export type Images = Readonly<Record<string, Uint8Array>>

/**
 * Creates the request that asks questions about a state and images. The state may be `undefined` only with images. Fails with a
 * usage error if the state is not a JSON value, or the name, the type or the format of an image is invalid. Fails with a validation
 * error if an image is too large.
 */
export const createRequest = (
  template: Template,
  state: unknown,
  images: Images = {},
): E.Either<Failure, AskRequest> => {
  const encoded = encodeImages(images)
  if (E.isLeft(encoded)) return encoded
  const json = encodeValue(state)
  const invalidState = E.left(usage('the state is not a JSON value'))
  if (encoded.right.length === 0)
    return json === undefined ? invalidState : E.right({ ...template, state: json })
  if (json === undefined && state !== undefined) return invalidState
  return E.right({
    ...template,
    state: createImageState(json, encoded.right),
    extra: new Map([...template.extra, ...createAssets(encoded.right)]),
  })
}

const encodeImages = (images: Images): E.Either<Failure, ReadonlyArray<RequestImage>> => {
  const encoded: RequestImage[] = []
  for (const [name, bytes] of Object.entries(images)) {
    // The state with images has their names as members, and the state of the caller as `text`.
    if (name === '' || name === stateTextMember)
      return E.left(usage(`an image cannot have the name "${name}"`))
    if (!(bytes instanceof Uint8Array))
      return E.left(usage(`image ${name}: pass its bytes as a Uint8Array`))
    if (bytes.length > maxImageBytes)
      return E.left(validation(`assets.${name}`, `image exceeds ${maxImageBytes >> 20} MiB`))
    const format = recognizeImage(bytes)
    if (format === undefined) return E.left(usage(`image ${name}: it is not PNG, JPEG or WebP`))
    encoded.push({ name, format, base64: Buffer.from(bytes).toString('base64') })
  }
  return E.right(encoded)
}
