import * as E from 'fp-ts/Either'
import { createImagesHeader } from '../../../client/call/encode-call'
import { chooseImageForm, placeImages } from '../../../client/dialects/service-form'
import { decodeImages, dropEmptyAssets } from '../../../codec/images'
import { changeMembers, type Draft, encode } from '../../../codec/json/draft'
import {
  type JsonObject,
  type JsonValue,
  memberIn,
  membersIn,
  stringIn,
} from '../../../codec/json/json'
import { isAlias } from '../../contract/engine'
import { readDocument } from '../../contract/read-ask'
import type { ConvertAsk, UpstreamOptions, UpstreamRequest } from './call-upstream'

/**
 * Forwards a request whose dialect (the form of requests and responses) the upstream service speaks. Only the model and the place of
 * images may change, and an empty `assets` is left out. The response is passed on unchanged, also with unknown question types, errors and
 * `Retry-After`. Fails like `readDocument`.
 */
export const forwardAsk: ConvertAsk =
  (options, { dialect, body }, context) =>
  async () => {
    const document = await readDocument(dialect, body, context)()
    if (E.isLeft(document)) return document
    const upstreamRequest = await context.compute(() =>
      prepareRequest(document.right, body, options),
    )()
    if (E.isLeft(upstreamRequest)) return upstreamRequest
    return E.right({
      upstreamRequest: upstreamRequest.right,
      convertResponse: E.right,
    })
  }

/**
 * Sets the model if a request document names none, or an alias, and if `options` has a model. Leaves out an empty `assets`, which System
 * One refuses. Moves images to where the service expects them, and adds the header that TypeSafe needs for them. Leaves all other members
 * unchanged. Returns a body that is not a JSON object unchanged, because the upstream service refuses it.
 */
const prepareRequest = (
  document: JsonValue,
  body: Uint8Array,
  options: UpstreamOptions,
): UpstreamRequest => {
  if (!(document instanceof Map)) return { body }
  const members = dropEmptyAssets(document)
  const headers = hasImages(members) ? createImagesHeader(options) : {}
  const { model } = options
  const withImages = moveImages(members, options)
  if (model === undefined || namesModel(document))
    return { body: withImages === document ? body : encode(withImages), headers }
  const otherMembers = [...withImages].filter(([name]) => name !== 'model')
  const withModel = new Map<string, Draft>([['model', model], ...otherMembers])
  return { body: encode(withModel), headers }
}

/** Moves the images of a document from `assets` to where the upstream service expects them. */
const moveImages = (
  document: JsonObject,
  { form, model: defaultModel }: UpstreamOptions,
): JsonObject => {
  const images = decodeImages(document)
  if (E.isLeft(images) || images.right.length === 0) return document
  const named = namesModel(document) ? stringIn(memberIn(document, 'model')) : undefined
  const model = named ?? defaultModel ?? ''
  const imageForm = chooseImageForm(form.images, model)
  const state = memberIn(document, 'state') ?? null
  const placed = placeImages({ state, extra: document }, images.right, imageForm)
  return placed.state === state
    ? placed.extra
    : changeMembers(placed.extra, [{ name: 'state', value: placed.state }])
}

/** Returns true if a request document names a model that is not an alias. */
const namesModel = (document: JsonValue): boolean => {
  const model = memberIn(document, 'model')
  return model !== undefined && !(typeof model === 'string' && isAlias(model))
}

/** Returns true if a request document has images, or a question of type `box`, which is about an image. */
const hasImages = (document: JsonValue): boolean => {
  if (memberIn(document, 'assets') !== undefined) return true
  const questions = membersIn(memberIn(document, 'questions'))
  return [...questions.values()].some((question) => stringIn(memberIn(question, 'type')) === 'box')
}
