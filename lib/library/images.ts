import * as E from 'fp-ts/Either'
import {
  createAssets,
  createImageState,
  maxImageBytes,
  type RequestImage,
  recognizeImage,
} from '../codec/images'
import type { AskRequest, Template } from '../codec/request'
import { type Failure, usage, validation } from '../failure/failure'
import { encodeValue } from './values'

/** PNG, JPEG or WebP images by name, as bytes: what `readFile` gives. The first bytes decide which format each has. */
export type Images = Readonly<Record<string, Uint8Array>>

/**
 * Makes the request that asks questions about a state, and about images. Only with images may the state be `undefined`.
 * Fails with a usage error if the state is not a JSON value or an image is not an image, and with a validation error if
 * one is too large.
 */
export const makeRequest = (
  template: Template,
  state: unknown,
  images: Images = {},
): E.Either<Failure, AskRequest> => {
  const pictures = readPictures(images)
  if (E.isLeft(pictures)) return pictures
  const hasPictures = pictures.right.length > 0
  const json = encodeValue(state)
  if (json === undefined && !(hasPictures && state === undefined))
    return E.left(usage('the state is no JSON value'))
  if (!hasPictures) return E.right({ ...template, state: json ?? null })
  return E.right({
    ...template,
    state: createImageState(json, pictures.right),
    extra: new Map([...template.extra, ...createAssets(pictures.right)]),
  })
}

const readPictures = (images: Images): E.Either<Failure, ReadonlyArray<RequestImage>> => {
  const pictures: RequestImage[] = []
  for (const [name, bytes] of Object.entries(images)) {
    if (name === '' || name === 'text')
      return E.left(usage(`an image cannot have the name "${name}"`))
    if (!(bytes instanceof Uint8Array))
      return E.left(usage(`image ${name}: pass its bytes as a Uint8Array`))
    if (bytes.length > maxImageBytes)
      return E.left(validation(`assets.${name}`, `image exceeds ${maxImageBytes >> 20} MiB`))
    const format = recognizeImage(bytes)
    if (format === undefined) return E.left(usage(`image ${name}: it is not PNG, JPEG or WebP`))
    pictures.push({ name, format, base64: Buffer.from(bytes).toString('base64') })
  }
  return E.right(pictures)
}
