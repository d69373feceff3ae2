import type { AskRequest } from '../../codec/request'
import { redacted } from '../../failure/text/redact'
import { Secret } from '../../failure/text/secret'
import type { KeyHeader } from '../dialects/dialect'

/** A key and the header that carries it; without a key there is no such header. */
interface KeyHolder {
  readonly key: Secret | undefined
  readonly keyHeader: KeyHeader
}

/** The headers of a request, including the API key. The HTTP client adds `Host` and `Content-Length`. */
export const requestHeaders = (
  { key, keyHeader }: KeyHolder,
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

/** The headers of requests with a body, or without one. */
export type Headers = (hasBody: boolean) => ReturnType<typeof requestHeaders>

/** Prepares the headers of a client, whose requests all have the same. */
export const prepareHeaders = (holder: KeyHolder, userAgent: string): Headers => {
  const withBody = requestHeaders(holder, userAgent, true)
  const withoutBody = requestHeaders(holder, userAgent, false)
  return (hasBody) => (hasBody ? withBody : withoutBody)
}

/** The same headers for display, with the API key shown as `[redacted]`. */
export const describeHeaders = (
  { key, keyHeader }: KeyHolder,
  userAgent: string,
  hasBody: boolean,
): Readonly<Record<string, string>> =>
  requestHeaders({ key: key && new Secret(redacted), keyHeader }, userAgent, hasBody)

/** What decides whether requests with images get TypeSafe's header for them. */
interface ImagePlace {
  readonly needsImagesHeader: boolean
}

/** TypeSafe's header for requests with images; none for services that need none. */
export const typesafeImagesHeader = ({
  needsImagesHeader,
}: ImagePlace): Readonly<Record<string, string>> =>
  needsImagesHeader ? { 'TypeSafe-Danger-Zone-Images': 'true' } : {}

/** The same header for a request that has images or a question for a place in an image; none for others. */
export const imageHeaders = (
  place: ImagePlace,
  { questions, extra }: Pick<AskRequest, 'questions' | 'extra'>,
): Readonly<Record<string, string>> => {
  const isAboutImages =
    extra.has('assets') ||
    questions.some(([, question]) => question.type === 'other' && question.name === 'box')
  return isAboutImages ? typesafeImagesHeader(place) : {}
}
