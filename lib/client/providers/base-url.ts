import * as E from 'fp-ts/Either'
import { redactCredentials } from '../../failure/text/secret'

/**
 * Checks a base address, and removes the slashes at its end. Fails with the address and the fault, such as
 * `"ftp://h": the scheme must be http or https`. Credentials in the address are redacted. The caller adds the name of the
 * setting.
 */
export const parseBaseUrl = (text: string): E.Either<string, string> => {
  const trimmed = text.trim()
  const fault = findUrlFault(trimmed)
  if (fault !== undefined) return E.left(`"${redactCredentials(trimmed)}": ${fault}`)
  const { origin, pathname } = new URL(trimmed)
  return E.right(origin + dropLastSlashes(pathname))
}

/** Takes linear time. A regular expression such as `/\/+$/` would take quadratic time for many slashes. */
const dropLastSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const wrongScheme = 'the scheme must be http or https'
const noHost = 'the host is missing'

const findUrlFault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return findSyntaxFault(text)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return wrongScheme
  // `URL` silently drops some of these characters and encodes others, so svc would call an address that the user did not write.
  if (/[\s\p{Cc}]/u.test(text)) return 'it must not have blanks or control characters'
  // `URL` accepts `http:x` and `http:///x`, and takes `x` as the host.
  if (!/^https?:\/\/[^\\/]/i.test(text)) return noHost
  if (url.username !== '' || url.password !== '') return 'it must not carry credentials'
  if (text.includes('#')) return 'it must not have a fragment'
  if (text.includes('?')) return 'it must not have a query'
  return undefined
}

/** Describes why a text is not a URL. */
const findSyntaxFault = (text: string): string => {
  // The scheme is the text before the colon: `http` of `http://h`.
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return wrongScheme
  // A URL without a host, such as `http://`, `https://?q` or `http://:80`.
  return /^[a-z]+:[\\/]*(?:[?#:]|$)/i.test(text) ? noHost : 'it is not a valid URL'
}
