import * as E from 'fp-ts/Either'
import { redacted } from '../text/search'

/**
 * Checks a base address and trims the `/` at its end; a path stays. Fails with the address and what is wrong
 * with it, `"ftp://h": the scheme must be http or https`: the caller puts before it whose address it is. D1
 */
export const parseBaseUrl = (text: string): E.Either<string, string> => {
  const trimmed = text.trim()
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  const why = url === undefined ? whyUnparsable(trimmed) : whyRefused(url, trimmed)
  return url === undefined || why !== undefined
    ? E.left(`"${withoutCredentials(trimmed)}": ${why}`)
    : E.right(url.origin + withoutLastSlashes(url.pathname))
}

const withoutLastSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const wrongScheme = 'the scheme must be http or https'

const whyUnparsable = (text: string): string => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return wrongScheme
  return /^[a-z]+:[\\/]*(?:[?#:]|$)/i.test(text) ? 'the host is missing' : 'it is not a valid URL'
}

const whyRefused = (url: URL, text: string): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return wrongScheme
  // `URL` drops some of them and encodes others: what was meant is not what would be called. D55
  if (/[\s\p{Cc}]/u.test(text)) return 'it must not have blanks or control characters'
  if (!/^https?:\/\/[^\\/]/i.test(text)) return 'the host is missing'
  if (url.username !== '' || url.password !== '') return 'it must not carry credentials'
  if (text.includes('#')) return 'it must not have a fragment'
  if (text.includes('?')) return 'it must not have a query'
  return undefined
}

/** Redacts everything before the last `@`: in a broken URL nobody knows where the credentials end. */
const withoutCredentials = (text: string): string => {
  const scheme = /^[a-z][a-z0-9+.-]*:[\\/]*/i.exec(text)?.[0] ?? ''
  const at = text.lastIndexOf('@')
  return at < 0 ? text : `${scheme}${redacted}${text.slice(at)}`
}
