import {
  getMultipartBoundary,
  MaxPartsExceededError,
  parseMultipart,
} from '@remix-run/multipart-parser'
import * as E from 'fp-ts/Either'
import { type Fault, requiredMessage } from '../../codec/fault'
import {
  assetsName,
  checkImageSizes,
  type ImageFormat,
  maxImages,
  recognizeImage,
} from '../../codec/images'
import { type Change, changeMembers, encode } from '../../codec/json/draft'
import { isObject, type JsonObject, memberIn, membersIn, stringIn } from '../../codec/json/json'
import { bufferOf } from '../../codec/json/parse'
import { listFaults } from '../../codec/request-faults'
import { invalidDocument, invalidMultipart, type Problem } from '../contract/problem'
import { parseBody } from '../contract/read-ask'

/** The name of the part with the request document. The names of the others are in its member `assets`. */
const documentPart = 'request'

/** The maximum length of a boundary (RFC 2046, 5.1.1), in characters. */
const maxBoundaryLength = 70

/** The maximum size of the headers of a part, in bytes. They hold a name and a media type. */
const maxPartHeaderBytes = 1024

/** The content of the parts of a body, by name. */
type Parts = ReadonlyMap<string, Buffer>

/**
 * Turns a body of the type `multipart/form-data` into the JSON document that a client could have sent instead. The part `request` has
 * the document. Its `assets` name the other parts, which have the images: `{"photo":{"type":"image","part":"asset-0"}}`. Each image
 * moves into `assets` as base64, with the format that its first bytes show.
 *
 * Fails with 400 if the body is not multipart or the document is not JSON. Fails with 422 if the parts and the assets do not fit
 * together, or if a request may not have as many or as large images.
 */
export const joinParts = (body: Uint8Array, contentType: string): E.Either<Problem, Uint8Array> => {
  const parts = readParts(body, contentType)
  if (E.isLeft(parts)) return parts
  const documentBytes = parts.right.get(documentPart)
  if (documentBytes === undefined)
    return failWith([{ loc: [documentPart], message: requiredMessage, type: 'missing' }])
  const parsed = parseBody(documentBytes)
  if (E.isLeft(parsed)) return parsed
  const document = parsed.right
  const assets = membersIn(memberIn(document, assetsName))
  const images = findImages(assets, parts.right)
  if (E.isLeft(images)) return images
  // Without images there is nothing to join. The steps that follow refuse a document that is not an object.
  if (!isObject(document) || images.right.size === 0) return E.right(documentBytes)
  const joinedAssets = insertImages(assets, images.right)
  return E.right(encode(changeMembers(document, [{ name: assetsName, value: joinedAssets }])))
}

const failWith = (faults: ReadonlyArray<Fault>): E.Either<Problem, never> =>
  E.left(invalidDocument(listFaults(faults)))

/** Reads the parts of a body. The content of a part is a view of the body. */
const readParts = (body: Uint8Array, contentType: string): E.Either<Problem, Parts> => {
  const boundary = getMultipartBoundary(contentType)?.trim() ?? ''
  if (boundary === '' || boundary.length > maxBoundaryLength)
    return E.left(
      invalidMultipart(`Content-Type needs a boundary of 1 to ${maxBoundaryLength} characters`),
    )
  const limits = {
    maxHeaderSize: maxPartHeaderBytes,
    maxParts: maxImages + 1,
    maxFileSize: body.length,
    maxTotalSize: body.length,
  }
  const parts = new Map<string, Buffer>()
  try {
    for (const { name = '', content } of parseMultipart(body, { boundary, ...limits })) {
      if (parts.has(name))
        return E.left(invalidMultipart('two parts of the body have the same name'))
      // The parser returns the content of a part in one piece if the body is complete, and no piece if the part is empty.
      parts.set(name, bufferOf(content[0] ?? new Uint8Array()))
    }
  } catch (error) {
    if (!(error instanceof MaxPartsExceededError))
      return E.left(invalidMultipart('the body is not valid multipart/form-data'))
    return failWith([
      { loc: [assetsName], message: `takes at most ${maxImages} images`, type: 'too_long' },
    ])
  }
  return E.right(parts)
}

/** An image in a part. */
interface PartImage {
  readonly format: ImageFormat
  readonly bytes: Buffer
}

/** The images in parts, by the name of their asset. */
type PartImages = ReadonlyMap<string, PartImage>

/** Finds the images of the assets that name a part. */
const findImages = (assets: JsonObject, parts: Parts): E.Either<Problem, PartImages> => {
  const images = new Map<string, PartImage>()
  const unusedNames = new Set(parts.keys())
  unusedNames.delete(documentPart)
  const faults: Fault[] = []
  for (const [name, asset] of assets) {
    const partName = stringIn(memberIn(asset, 'part'))
    if (partName === undefined) continue
    unusedNames.delete(partName)
    const bytes = parts.get(partName)
    const format = bytes && recognizeImage(bytes)
    if (bytes === undefined)
      faults.push({ loc: [assetsName, name, 'part'], message: 'names no part', type: 'value' })
    else if (format === undefined)
      faults.push({ loc: [assetsName, name], message: 'must be PNG, JPEG or WebP', type: 'value' })
    else images.set(name, { format, bytes })
  }
  for (const name of unusedNames)
    faults.push({ loc: [name], message: 'is a part that no asset names', type: 'unknown_field' })
  if (faults.length > 0) return failWith(faults)
  const limits = checkImageSizes([...images.values()].map(({ bytes }) => bytes.length))
  return E.isLeft(limits)
    ? failWith([{ loc: [assetsName], message: limits.left, type: 'too_long' }])
    : E.right(images)
}

/** Replaces the names of parts by the format and the base64 of their images. */
const insertImages = (assets: JsonObject, images: PartImages): JsonObject => {
  const changes: Change[] = []
  for (const [name, { format, bytes }] of images)
    changes.push({
      name,
      value: changeMembers(membersIn(assets.get(name)), [
        { name: 'part', newName: 'format', value: format },
        { name: 'data_base64', value: bytes.toString('base64') },
      ]),
    })
  return changeMembers(assets, changes)
}
