import * as E from 'fp-ts/Either'
import { redactCredentials } from '../../failure/text/secret'

/**
 * Checks a base address and removes slashes at its end; its path is kept. Fails with the address and the fault, such as
 * `"ftp://h": the scheme must be http or https`. The caller prefixes which setting the address came from.
 */
export const parseBaseUrl = (text: string): E.Either<string, string> => {
  const trimmed = text.trim()
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  const why = url === undefined ? findSyntaxFault(trimmed) : findUrlFault(url, trimmed)
  return url === undefined || why !== undefined
    ? E.left(`"${redactCredentials(trimmed)}": ${why}`)
    : E.right(url.origin + dropLastSlashes(url.pathname))
}

const dropLastSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const wrongScheme = 'the scheme must be http or https'

const findSyntaxFault = (text: string): string => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return wrongScheme
  return /^[a-z]+:[\\/]*(?:[?#:]|$)/i.test(text) ? 'the host is missing' : 'it is not a valid URL'
}

const findUrlFault = (url: URL, text: string): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return wrongScheme
  // `URL` silently drops some of these characters and encodes others, so the address called would not be the
  // one written.
  if (/[\s\p{Cc}]/u.test(text)) return 'it must not have blanks or control characters'
  if (!/^https?:\/\/[^\\/]/i.test(text)) return 'the host is missing'
  if (url.username !== '' || url.password !== '') return 'it must not carry credentials'
  if (text.includes('#')) return 'it must not have a fragment'
  if (text.includes('?')) return 'it must not have a query'
  return undefined
}
