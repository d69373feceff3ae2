import { bufferOf } from '../../codec/json/parse'
import type { ErrorResponse } from '../dialects/dialect'

/** The number of bytes at the start of a page in which its title is searched for. */
const maxSearchedBytes = 64 << 10

/**
 * Describes an HTML page, which gateways send instead of a JSON error: its title and the name of the server, in one line.
 * `undefined` if the body is not HTML.
 */
export const describeErrorPage = ({ header, body }: ErrorResponse): string | undefined => {
  const html = bufferOf(body.subarray(0, maxSearchedBytes)).toString()
  if (!/^[\s\ufeff]*<(?:!doctype html|html|head)/i.test(html)) return undefined
  const title = findTitle(html)
  const server = header('server')
  const page = title === '' ? 'an HTML page' : title
  return server ? `${page} (server: ${server})` : page
}

/** Returns the title in one line; `''` if there is none. */
const findTitle = (html: string): string => {
  const tagStart = html.search(/<title\b/i)
  const tagEnd = tagStart < 0 ? -1 : html.indexOf('>', tagStart)
  if (tagEnd < 0) return ''
  const titleEnd = html.indexOf('<', tagEnd)
  return html
    .slice(tagEnd + 1, titleEnd < 0 ? undefined : titleEnd)
    .replace(/\s+/g, ' ')
    .trim()
}
