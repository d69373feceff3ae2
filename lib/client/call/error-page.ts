import { bufferOf } from '../../codec/json/parse'
import type { ErrorResponse } from '../dialects/dialect'

/** The title of a page is searched for in this many bytes at its start. */
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
  return `${title || 'an HTML page'}${server ? ` (server: ${server})` : ''}`
}

const findTitle = (html: string): string => {
  const opening = html.search(/<title\b/i)
  const start = opening < 0 ? -1 : html.indexOf('>', opening)
  if (start < 0) return ''
  const end = html.indexOf('<', start)
  return html
    .slice(start + 1, end < 0 ? undefined : end)
    .replace(/\s+/g, ' ')
    .trim()
}
