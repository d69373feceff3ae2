import { hash } from 'node:crypto'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import * as E from 'fp-ts/Either'
import {
  type ImageFormat,
  maxImageBytes,
  type RequestImage,
  recognizeImage,
} from '../../codec/images'
import { bufferOf } from '../../codec/json/parse'
import { type Failure, interrupted, validation } from '../../failure/failure'
import { codeOf, reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import { cutWithEllipsis } from '../../text/sanitize'
import type { RecordImage } from '../record/record'
import type { ImagePath } from '../rows/row'

/** The maximum size of images, for messages. */
const maxImageMebibytes = maxImageBytes >> 20

/** An image of a row. To save memory, its bytes are read again when the request is sent. */
export interface ImageFile extends RecordImage {
  readonly format: ImageFormat
  /** Reads the image. Fails with a validation error if it is unreadable or has changed, or as interrupted. */
  readonly load: () => Promise<E.Either<Failure, RequestImage>>
}

/** The rules for the paths of images. */
export interface ImageRules {
  /** The path of the input. Paths in rows are relative to its folder, or to the working folder if the input is `-`. */
  readonly input: string
  /** `true` if images may be outside that folder, by their path or by a link: the flag `--follow-links`. */
  readonly followLinks: boolean
}

/** An image as its file holds it. */
export interface ReadImage {
  readonly format: ImageFormat
  readonly bytes: Buffer
}

/** Reads the images that the row in a line names. Fails with a message about the first image that is unreadable or invalid. */
type ReadRowImages = (
  images: ReadonlyArray<ImagePath>,
  line: number,
) => Promise<E.Either<string, ReadonlyArray<ImageFile>>>

/** The folder of the rows, to which the paths of images are relative. */
interface ImageFolder {
  readonly files: Pick<Files, 'readRegular'>
  readonly path: string
  /** `true` if images may be outside the folder. */
  readonly isLeavable: boolean
  readonly signal: AbortSignal
}

/**
 * Creates a reader of the images of rows. An image, and all images of a row together, may have up to 16 MiB. Ignore the results
 * after `signal` has fired.
 */
export const createImageReader = (
  files: Pick<Files, 'readRegular'>,
  { input, followLinks }: ImageRules,
  signal: AbortSignal,
): ReadRowImages => {
  const folder = createImageFolder(files, { input, followLinks }, signal)
  return async (images, line) => {
    const imageFiles: ImageFile[] = []
    let totalSize = 0
    for (const image of images) {
      const file = await createImageFile(image, line, folder)
      if (E.isLeft(file)) return file
      imageFiles.push(file.right)
      totalSize += file.right.size
    }
    return totalSize > maxImageBytes
      ? E.left(`the images of the row exceed ${maxImageMebibytes} MiB`)
      : E.right(imageFiles)
  }
}

const createImageFolder = (
  files: Pick<Files, 'readRegular'>,
  { input, followLinks }: ImageRules,
  signal: AbortSignal,
): ImageFolder => {
  const path = input === '-' ? '.' : dirname(input)
  return { files, path, isLeavable: followLinks, signal }
}

/**
 * Reads one image, by the same rules as `createImageReader`. Fails with a message. Ignore the result after `signal` has fired.
 */
export const readOneImage = (
  files: Pick<Files, 'readRegular'>,
  rules: ImageRules,
  image: ImagePath,
  signal: AbortSignal,
): Promise<E.Either<string, ReadImage>> =>
  recognizeContent(image, createImageFolder(files, rules, signal))

/** Reads an image and recognizes its format. Fails with a message. */
const recognizeContent = async (
  image: ImagePath,
  folder: ImageFolder,
): Promise<E.Either<string, ReadImage>> => {
  const content = await readImage(image, folder)
  if (E.isLeft(content)) return content
  const format = recognizeImage(content.right)
  return format === undefined
    ? E.left(`${describeImage(image)}: it is not PNG, JPEG or WebP`)
    : E.right({ format, bytes: content.right })
}

const createImageFile = async (
  image: ImagePath,
  line: number,
  folder: ImageFolder,
): Promise<E.Either<string, ImageFile>> => {
  const { name } = image
  const content = await recognizeContent(image, folder)
  if (E.isLeft(content)) return content
  const { format, bytes } = content.right
  const sha256 = digestBytes(bytes)
  const load = async (): Promise<E.Either<Failure, RequestImage>> => {
    const currentContent = await readImage(image, folder)
    if (folder.signal.aborted) return E.left(interrupted)
    const fail = (cause: string) => E.left(validation(`line ${line}`, cause))
    if (E.isLeft(currentContent)) return fail(currentContent.left)
    return digestBytes(currentContent.right) === sha256
      ? E.right({ name, format, base64: currentContent.right.toString('base64') })
      : fail(`${describeImage(image)}: it has changed during the run`)
  }
  return E.right({ name, sha256, size: bytes.length, format, load })
}

/** The maximum number of characters of a path in a message. */
const maxShownCharacters = 60

const describeImage = ({ name, path }: ImagePath): string =>
  `read image ${name}: ${cutWithEllipsis(path, maxShownCharacters)}`

const outsideFolder = 'it is outside the folder of the rows; --follow-links allows it'

/** Reads the content of an image. Fails with a message. */
const readImage = async (
  image: ImagePath,
  { files, path: folder, isLeavable, signal }: ImageFolder,
): Promise<E.Either<string, Buffer>> => {
  const path = isAbsolute(image.path) ? image.path : join(folder, image.path)
  const fail = (reason: string) => E.left(`${describeImage(image)}: ${reason}`)
  // `within`, below, only refuses links that lead out of the folder.
  if (!isLeavable && !isBelow(folder, path)) return fail(outsideFolder)
  try {
    const within = isLeavable ? undefined : folder
    const { bytes } = await files.readRegular(path, { maxBytes: maxImageBytes, signal, within })
    // `readRegular` reads one byte more than `maxBytes` if the file is larger.
    if (bytes.length > maxImageBytes) return fail(`exceeds ${maxImageMebibytes} MiB`)
    return E.right(bufferOf(bytes))
  } catch (error) {
    return fail(codeOf(error) === 'ELEAVESFOLDER' ? outsideFolder : reasonOf(error))
  }
}

/** Returns `true` if a path is that of the folder or of anything in it, by its spelling: links are not followed. */
const isBelow = (folder: string, path: string): boolean => {
  const fromFolder = relative(folder, path)
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder)
}

const digestBytes = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')
