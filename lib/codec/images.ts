import * as E from 'fp-ts/Either'
import { type Failure, validation } from '../failure/failure'
import { changeMembers } from './json/draft'
import { type JsonObject, type JsonValue, memberIn, stringIn } from './json/json'

export type ImageFormat = 'png' | 'jpeg' | 'webp'

/** An image of a request. The state contains its name at the position of the image. */
export interface RequestImage {
  readonly name: string
  readonly format: ImageFormat
  /** The bytes as base64. */
  readonly base64: string
}

/** The maximum number of images in a request. */
export const maxImages = 20

/** The maximum size of all images of a request together. */
export const maxImageBytes = 16 << 20

/** The name of the member of a request document that has the images. */
export const assetsName = 'assets'

const formatsByName: ReadonlyMap<string, ImageFormat> = new Map([
  ['png', 'png'],
  ['jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['webp', 'webp'],
])

/** Returns the number of bytes that a base64 text encodes. */
const measureBase64 = (base64: string): number => {
  const padding = /=*$/.exec(base64)?.[0].length ?? 0
  // Four characters encode three bytes.
  return Math.floor((base64.length * 3) / 4) - padding
}

/** Recognizes the format of an image by its first bytes. `undefined` if it has another format. */
export const recognizeImage = (bytes: Uint8Array): ImageFormat | undefined => {
  // The signature of WebP is the longest: `RIFF`, a size of 4 bytes, and `WEBP`.
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'webp' : undefined
}

export const mediaTypeOf = (format: ImageFormat): string => `image/${format}`

/** Creates an object with the member `assets`, or an empty object if there are no images. */
export const createAssets = (images: ReadonlyArray<RequestImage>): JsonObject =>
  new Map(images.length === 0 ? [] : [[assetsName, new Map(images.map(toAssetMember))]])

const toAssetMember = ({ name, format, base64 }: RequestImage) =>
  [
    name,
    new Map([
      ['type', 'image'],
      ['format', format],
      ['data_base64', base64],
    ]),
  ] as const

/** Returns the members of a request without an empty `assets`. Generated clients send one if a request has no images. */
export const dropEmptyAssets = (members: JsonObject): JsonObject => {
  const assets = members.get(assetsName)
  return assets instanceof Map && assets.size === 0
    ? changeMembers(members, [], [assetsName])
    : members
}

/**
 * Decodes the images in `assets`, one of the `extra` members of a request. Fails with a validation error about the first invalid
 * asset. Does not check that the bytes are base64, because that takes long.
 */
export const decodeImages = (extra: JsonObject): E.Either<Failure, ReadonlyArray<RequestImage>> => {
  const assets = extra.get(assetsName)
  if (assets === undefined) return E.right([])
  if (!(assets instanceof Map)) return E.left(validation(assetsName, 'must be an object'))
  const images: RequestImage[] = []
  for (const [name, asset] of assets) {
    const image = decodeAsset(name, asset)
    if (E.isLeft(image)) return E.left(validation(`${assetsName}.${name}`, image.left))
    images.push(image.right)
  }
  return E.right(images)
}

/** Checks the number and the size of the images of a request. Fails with a validation error. */
export const checkImageLimits = (images: ReadonlyArray<RequestImage>): E.Either<Failure, void> =>
  E.mapLeft((message: string) => validation(assetsName, message))(
    checkImageSizes(images.map(({ base64 }) => measureBase64(base64))),
  )

/** Checks the sizes of the images of a request, in bytes. Fails with a message if there are too many, or if they are too large. */
export const checkImageSizes = (sizes: ReadonlyArray<number>): E.Either<string, void> => {
  if (sizes.length > maxImages)
    return E.left(`takes at most ${maxImages} images, got ${sizes.length}`)
  const totalBytes = sizes.reduce((sum, bytes) => sum + bytes, 0)
  return totalBytes > maxImageBytes
    ? E.left(`images exceed ${maxImageBytes >> 20} MiB`)
    : E.right(undefined)
}

/** Decodes an asset. Fails with a message. */
const decodeAsset = (name: string, asset: JsonValue): E.Either<string, RequestImage> => {
  if (!(asset instanceof Map)) return E.left('must be an object')
  const type = memberIn(asset, 'type')
  if (type !== undefined && stringIn(type) !== 'image') return E.left('must have the type "image"')
  // `''` is the name of no format.
  const format = formatsByName.get(stringIn(memberIn(asset, 'format')) ?? '')
  if (format === undefined) return E.left('must have the format png, jpg, jpeg or webp')
  const base64 = stringIn(memberIn(asset, 'data_base64'))
  if (base64 === undefined || base64 === '') return E.left('must have its bytes in "data_base64"')
  return E.right({ name, format, base64 })
}

/** Returns `true` if a text is base64 and not empty. Decoding and encoding it is ten times as fast as a regular expression. */
export const isBase64 = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64').toString('base64') === text

/** Creates a function that replaces the base64 of images in a text by their size: `<204800 bytes>`. */
export const createImageAbbreviator =
  (images: ReadonlyArray<RequestImage>) =>
  (text: string): string =>
    images.reduce(
      (abbreviated, { base64 }) =>
        abbreviated.replaceAll(base64, `<${measureBase64(base64)} bytes>`),
      text,
    )

/** The name of the text in the state of a request with images. */
export const stateTextMember = 'text'

/** Creates the state of a request with images: an object with the text, if any, and with the name of each image as key and value. */
export const createImageState = (
  text: JsonValue | undefined,
  images: ReadonlyArray<Pick<RequestImage, 'name'>>,
): JsonValue =>
  new Map<string, JsonValue>([
    ...(text === undefined ? [] : [[stateTextMember, text] as const]),
    ...images.map(({ name }) => [name, name] as const),
  ])
