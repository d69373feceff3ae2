import { hash } from 'node:crypto'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import * as E from 'fp-ts/Either'
import {
  type ImageFormat,
  maxImageBytes,
  type RequestImage,
  recognizeImage,
} from '../../codec/images'
import { type Failure, interrupted, validation } from '../../failure/failure'
import { cutTo } from '../../failure/text/cut'
import { codeOf, reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import type { RecordImage } from '../record/record'
import type { ImagePath, Row } from '../rows/row'

/** An image of a row. Its bytes are read again when the row is asked, since the images of all waiting rows may be large. */
export interface ImageFile extends RecordImage {
  readonly format: ImageFormat
  /** Reads the image. Fails with a validation error if it cannot be read any more or has changed, or as interrupted. */
  readonly load: () => Promise<E.Either<Failure, RequestImage>>
}

/** Where the images of rows may be. */
export interface ImageRules {
  /** The path of the input: paths in rows are relative to its folder, or to the working folder for standard input. */
  readonly input: string
  /** Whether images may be outside that folder. */
  readonly followLinks: boolean
}

/** Reads the images that a row names. Fails with what is wrong with one of them. */
export type ReadRowImages = (row: Row) => Promise<E.Either<string, ReadonlyArray<ImageFile>>>

/** The most characters of a path that a message shows. */
const maxShown = 60

/** Creates a reader of the images of rows. After `signal` fires, its results mean nothing. */
export const createImageReader = (
  files: Pick<Files, 'readRegular'>,
  { input, followLinks }: ImageRules,
  signal: AbortSignal,
): ReadRowImages => {
  const folder = input === '-' ? '.' : dirname(input)
  const within = followLinks ? undefined : folder
  const readFile = async (given: ImagePath): Promise<E.Either<string, Buffer>> => {
    const path = isAbsolute(given.path) ? given.path : join(folder, given.path)
    const fail = (why: string) =>
      E.left(`read image ${given.name}: ${cutTo(given.path, maxShown)}: ${why}`)
    if (within !== undefined && !isBelow(within, path)) return fail(outside)
    try {
      const { bytes } = await files.readRegular(path, { limit: maxImageBytes, signal, within })
      if (bytes.length > maxImageBytes) return fail(`exceeds ${maxImageBytes >> 20} MiB`)
      return E.right(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    } catch (error) {
      return fail(codeOf(error) === 'ELEAVESFOLDER' ? outside : reasonOf(error))
    }
  }
  const describeFile = async (given: ImagePath, row: Row): Promise<E.Either<string, ImageFile>> => {
    const { name, path } = given
    const bytes = await readFile(given)
    if (E.isLeft(bytes)) return bytes
    const format = recognizeImage(bytes.right)
    const shown = `read image ${name}: ${cutTo(path, maxShown)}`
    if (format === undefined) return E.left(`${shown}: it is not PNG, JPEG or WebP`)
    const sha256 = digestBytes(bytes.right)
    const load = async (): Promise<E.Either<Failure, RequestImage>> => {
      const again = await readFile(given)
      if (signal.aborted) return E.left(interrupted)
      if (E.isLeft(again)) return E.left(validation(`line ${row.line}`, again.left))
      return digestBytes(again.right) === sha256
        ? E.right({ name, format, base64: again.right.toString('base64') })
        : E.left(validation(`line ${row.line}`, `${shown}: it has changed during the run`))
    }
    return E.right({ name, sha256, bytes: bytes.right.length, format, load })
  }
  return async (row) => {
    const images: ImageFile[] = []
    let total = 0
    for (const given of row.images ?? []) {
      const image = await describeFile(given, row)
      if (E.isLeft(image)) return image
      images.push(image.right)
      total += image.right.bytes
    }
    return total > maxImageBytes
      ? E.left(`the images of the row exceed ${maxImageBytes >> 20} MiB`)
      : E.right(images)
  }
}

const outside = 'it is outside the folder of the rows; --follow-links allows it'

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const digestBytes = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')
