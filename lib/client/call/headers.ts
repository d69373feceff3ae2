import type { AskRequest } from '../../codec/request'
import { redacted, Secret } from '../../failure/text/secret'
import type { KeyHeader } from '../dialects/dialect'

/** A key and its header. Without a key the header is not sent. */
interface KeyOptions {
  readonly key: Secret | undefined
  readonly keyHeader: KeyHeader
}

/** Creates the headers of a request, with the API key. The HTTP client adds `Host` and `Content-Length`. */
export const createRequestHeaders = (
  { key, keyHeader }: KeyOptions,
  userAgent: string,
  hasBody: boolean,
): Readonly<Record<string, string>> => ({
  ...(key && {
    [keyHeader]: keyHeader === 'Authorization' ? `Bearer ${key.reveal()}` : key.reveal(),
  }),
  Accept: 'application/json',
  'Accept-Encoding': 'gzip, deflate, br',
  'User-Agent': userAgent,
  ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
})

/** Returns the headers of a request with or without a body, with the API key. */
export type GetHeaders = (hasBody: boolean) => ReturnType<typeof createRequestHeaders>

/** Creates the headers of a client, which are shared by all of its requests. */
export const prepareHeaders = (keyOptions: KeyOptions, userAgent: string): GetHeaders => {
  const withBody = createRequestHeaders(keyOptions, userAgent, true)
  const withoutBody = createRequestHeaders(keyOptions, userAgent, false)
  return (hasBody) => (hasBody ? withBody : withoutBody)
}

/** Creates the headers of a request for display: the API key is `[redacted]`. */
export const describeHeaders = (
  { key, keyHeader }: KeyOptions,
  userAgent: string,
  hasBody: boolean,
): Readonly<Record<string, string>> =>
  createRequestHeaders({ key: key && new Secret(redacted), keyHeader }, userAgent, hasBody)

/** A service that may need TypeSafe's header for images. */
interface ImageDestination {
  readonly needsImagesHeader: boolean
}

/** Returns the header that TypeSafe requires for requests with images; empty for other services. */
export const createImagesHeader = ({
  needsImagesHeader,
}: ImageDestination): Readonly<Record<string, string>> =>
  needsImagesHeader ? { 'TypeSafe-Danger-Zone-Images': 'true' } : {}

/** Returns TypeSafe's header for a request that has images, or asks for a position in one (a question of type `box`). */
export const selectImageHeaders = (
  destination: ImageDestination,
  { questions, extra }: Pick<AskRequest, 'questions' | 'extra'>,
): Readonly<Record<string, string>> => {
  const isAboutImages =
    extra.has('assets') ||
    questions.some(([, question]) => question.type === 'other' && question.name === 'box')
  return isAboutImages ? createImagesHeader(destination) : {}
}
