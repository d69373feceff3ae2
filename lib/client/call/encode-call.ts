/** Encodes what a call sends, its headers and its body, and describes it for `--dry-run`. */
import * as E from 'fp-ts/Either'
import { createImageAbbreviator, decodeImages } from '../../codec/images'
import { type Draft, redactDraft } from '../../codec/json/draft'
import type { AskRequest } from '../../codec/request'
import { type Failure, usage, validation } from '../../failure/failure'
import { redacted, Secret } from '../../text/secret'
import type { KeyHeader, ModelRequest } from '../dialects/dialect'
import { insertModel } from '../dialects/service-form'
import type { Destination } from '../providers/destination'
import type { Endpoint } from '../providers/endpoints'

/**
 * Returns `model`, or the default model of the destination if `model` is absent or empty, or if the destination is an engine. Fails with
 * a usage error if neither is known, or if the service has no choice of models and `model` is not its default.
 */
export const chooseModel = (
  { service, model: defaultModel, modelHint, engine, form }: Destination,
  model: string | undefined,
): E.Either<Failure, string> => {
  if (form.modelPlace === 'none' && model && model !== defaultModel)
    return E.left(usage(`${service} has no choice of models: leave out the model ${model}`))
  const chosen = engine === undefined ? model || defaultModel : defaultModel
  return chosen === undefined
    ? E.left(usage(`${service} has no default model: ${modelHint}`))
    : E.right(chosen)
}

/** A request for a model of a service, and its body in the dialect of that service. */
export interface EncodedAsk {
  readonly modelRequest: ModelRequest
  readonly body: Draft
}

/**
 * Encodes the body of a request whose questions have been checked. `model` overrides the default model of the destination.
 * Fails with a usage error if there is no model, and with a validation error if the service does not support the request.
 */
export const encodeAsk = (
  destination: Destination,
  request: AskRequest,
  model?: string,
): E.Either<Failure, EncodedAsk> => {
  const chosen = chooseModel(destination, model)
  if (E.isLeft(chosen)) return chosen
  const { service, form } = destination
  const modelRequest: ModelRequest = { request, model: chosen.right, service, form }
  const body = encodeForService(destination, modelRequest)
  return E.isLeft(body) ? body : E.right({ modelRequest, body: body.right })
}

/** Encodes the body of a request. Fails with a validation error if the service or its dialect does not support the request. */
export const encodeForService = (
  { service, form, dialect }: Pick<Destination, 'service' | 'form' | 'dialect'>,
  modelRequest: ModelRequest,
): E.Either<Failure, Draft> => {
  const images = decodeImages(modelRequest.request.extra)
  const hasImages = E.isRight(images) && images.right.length > 0
  return hasImages && form.images === 'none'
    ? E.left(validation('assets', `${service} does not accept images`))
    : dialect.encodeRequest(modelRequest)
}

/** Returns the endpoint for asking a model. Some services have the model in the path. */
export const locateAsk = ({ ask }: Pick<Destination, 'ask'>, model: string): Endpoint => ({
  url: insertModel(ask.url, model),
  path: insertModel(ask.path, model),
})

/** A key and its header. Without a key the header is not sent. */
interface KeyOptions {
  readonly key: Secret | undefined
  readonly keyHeader: KeyHeader
}

/** The facts about a request that decide its other headers. */
interface HeaderOptions {
  readonly userAgent: string
  readonly hasBody: boolean
}

/** Creates the headers of a request, with the API key. The HTTP client adds `Host` and `Content-Length`. */
export const createRequestHeaders = (
  { key, keyHeader }: KeyOptions,
  { userAgent, hasBody }: HeaderOptions,
): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  if (key !== undefined)
    headers[keyHeader] = keyHeader === 'Authorization' ? `Bearer ${key.reveal()}` : key.reveal()
  headers.Accept = 'application/json'
  headers['Accept-Encoding'] = 'gzip, deflate, br'
  headers['User-Agent'] = userAgent
  if (hasBody) headers['Content-Type'] = 'application/json'
  return headers
}

/** The headers of all requests of a client, with the API key: those of requests with a body, and those of requests without. */
export interface ClientHeaders {
  readonly withBody: ReturnType<typeof createRequestHeaders>
  readonly withoutBody: ReturnType<typeof createRequestHeaders>
}

export const createClientHeaders = (keyOptions: KeyOptions, userAgent: string): ClientHeaders => ({
  withBody: createRequestHeaders(keyOptions, { userAgent, hasBody: true }),
  withoutBody: createRequestHeaders(keyOptions, { userAgent, hasBody: false }),
})

/** Creates the headers of a request for display: the API key is `[redacted]`. */
export const describeHeaders = (
  { key, keyHeader }: KeyOptions,
  options: HeaderOptions,
): Readonly<Record<string, string>> =>
  createRequestHeaders({ key: key && new Secret(redacted), keyHeader }, options)

/** A service that may need TypeSafe's header for images. */
interface ImageDestination {
  readonly needsImagesHeader: boolean
}

/** Returns the header that TypeSafe requires for requests with images; empty for other services. */
export const createImagesHeader = ({
  needsImagesHeader,
}: ImageDestination): Readonly<Record<string, string>> =>
  needsImagesHeader ? { 'TypeSafe-Danger-Zone-Images': 'true' } : {}

/**
 * Returns the header of `createImagesHeader` if a request has images, or asks for a position in one (a question of type `box`);
 * empty for other requests.
 */
export const selectImageHeaders = (
  destination: ImageDestination,
  { questions, extra }: Pick<AskRequest, 'questions' | 'extra'>,
): Readonly<Record<string, string>> => {
  const isAboutImages =
    extra.has('assets') ||
    questions.some(([, question]) => question.type === 'other' && question.name === 'box')
  return isAboutImages ? createImagesHeader(destination) : {}
}

/**
 * Describes the request that a call would send, for `--dry-run`. The key is `[redacted]`, and images are shown by their size.
 * `Host` and `Content-Length`, which the HTTP client adds, are left out.
 */
export const describeRequest = (
  destination: Destination,
  userAgent: string,
  { modelRequest, body }: EncodedAsk,
): Draft => {
  const { request, model } = modelRequest
  const images = decodeImages(request.extra)
  const abbreviateImages = createImageAbbreviator(E.isRight(images) ? images.right : [])
  return {
    method: 'POST',
    url: locateAsk(destination, model).url,
    headers: {
      ...describeHeaders(destination, { userAgent, hasBody: true }),
      ...selectImageHeaders(destination, request),
    },
    body: redactDraft(body, abbreviateImages),
  }
}
