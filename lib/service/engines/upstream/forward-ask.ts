import * as E from 'fp-ts/Either'
import { createImagesHeader } from '../../../client/call/encode-call'
import { dropEmptyAssets } from '../../../codec/images'
import { type Draft, encode } from '../../../codec/json/draft'
import { type JsonValue, memberIn, membersIn, stringIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { isAlias, type PassthroughRequest, type PassthroughResponse } from '../../contract/engine'
import { engineFailed, type Problem } from '../../contract/problem'
import { readDocument } from '../../contract/read-ask'
import type { ConvertAsk, UpstreamOptions, UpstreamRequest } from './call-upstream'

/**
 * Forwards a request whose dialect (the form of requests and responses) the upstream service speaks. Only the model may change, and an
 * empty `assets` is left out. The response is passed on unchanged, also with unknown question types, errors and `Retry-After`. Fails like `readDocument`, and with 502 if
 * the caller's dialect cannot express the response.
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
      convertResponse: (response) => checkResponse(dialect, response),
    })
  }

/**
 * Sets the model if a request document names none, or an alias, and if `options` has a model. Leaves out an empty `assets`, which System
 * One refuses. Leaves all other members unchanged. Adds the header that the service TypeSafe needs for images. Returns a body that is not a JSON object unchanged, because the upstream
 * service refuses it.
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
  if (model === undefined || namesModel(document))
    return { body: members === document ? body : encode(members), headers }
  const otherMembers = [...members].filter(([name]) => name !== 'model')
  const withModel = new Map<string, Draft>([['model', model], ...otherMembers])
  return { body: encode(withModel), headers }
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

/** Returns the response unchanged. Fails if it is successful and has an answer that the caller's dialect cannot express. */
const checkResponse = (
  dialect: PassthroughRequest['dialect'],
  response: PassthroughResponse,
): E.Either<Problem, PassthroughResponse> => {
  if (response.status > 299) return E.right(response)
  const document = parseJson(response.body)
  if (E.isLeft(document)) return E.right(response)
  const unsupported = dialect.explainUnsupported(document.right)
  return unsupported === undefined
    ? E.right(response)
    : E.left(engineFailed(`The upstream service gave ${unsupported}.`))
}
