import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import {
  maxImageBytes,
  type RequestImage,
  recognizeImage,
  stateTextMember,
} from '../../codec/images'
import { type Failure, usage, validation } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'

/**
 * Reads the images of `--image <name>=<path>`. Fails with a usage error, or with a validation error if an image is too large.
 */
export const readImageFlags =
  (
    values: ReadonlyArray<string>,
    { files }: { readonly files: Pick<Files, 'read'> },
  ): TE.TaskEither<Failure, ReadonlyArray<RequestImage>> =>
  async () => {
    const images: RequestImage[] = []
    for (const value of values) {
      const equalsSign = value.indexOf('=')
      // Without an equals sign the name is empty, which is a fault.
      const name = value.slice(0, Math.max(0, equalsSign)).trim()
      const path = value.slice(equalsSign + 1)
      const fault = findFlagFault({ value, name, path }, images)
      if (fault !== undefined) return E.left(usage(fault))
      const image = await readImage(files, name, path)
      if (E.isLeft(image)) return image
      images.push(image.right)
    }
    return E.right(images)
  }

/** A value of `--image`, and its two parts. */
interface ImageFlag {
  readonly value: string
  readonly name: string
  readonly path: string
}

/** Finds what is wrong with a flag. `images` are those of the flags before it. */
const findFlagFault = (
  { value, name, path }: ImageFlag,
  images: ReadonlyArray<RequestImage>,
): string | undefined => {
  if (name === '' || path === '') return `--image "${value}": expected name=path`
  if (name === stateTextMember)
    return `--image "${value}": "${stateTextMember}" is the name of the text of --state`
  const isDuplicate = images.some((image) => image.name === name)
  return isDuplicate ? `duplicate image name "${name}"` : undefined
}

/** Reads an image file. Detects the format by the first bytes, not by the name of the file. */
export const readImage = async (
  files: Pick<Files, 'read'>,
  name: string,
  path: string,
): Promise<E.Either<Failure, RequestImage>> => {
  try {
    const bytes = Buffer.from(await files.read(path, maxImageBytes))
    if (bytes.length > maxImageBytes)
      return E.left(validation(`assets.${name}`, `${path} exceeds ${maxImageBytes >> 20} MiB`))
    const format = recognizeImage(bytes)
    return format === undefined
      ? E.left(usage(`read image ${name}: ${path}: it is not PNG, JPEG or WebP`))
      : E.right({ name, format, base64: bytes.toString('base64') })
  } catch (error) {
    return E.left(usage(`read image ${name}: ${path}: ${reasonOf(error)}`))
  }
}
