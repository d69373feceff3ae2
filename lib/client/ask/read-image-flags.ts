import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { maxImageBytes, type RequestImage, recognizeImage, textName } from '../../codec/images'
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
      const equals = value.indexOf('=')
      const name = value.slice(0, Math.max(0, equals)).trim()
      const path = value.slice(equals + 1)
      const fault = findFault(value, name, path, images)
      if (fault !== undefined) return E.left(usage(fault))
      const image = await readImage(files, name, path)
      if (E.isLeft(image)) return image
      images.push(image.right)
    }
    return E.right(images)
  }

const findFault = (
  value: string,
  name: string,
  path: string,
  images: ReadonlyArray<RequestImage>,
): string | undefined => {
  if (name === '' || path === '') return `--image "${value}": expected name=path`
  if (name === textName)
    return `--image "${value}": "${textName}" is the name of the text of --state`
  return images.some((image) => image.name === name) ? `duplicate image name "${name}"` : undefined
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
