import { redacted } from './search'

/**
 * Redacts credentials in a text that ought to be a URL but is not valid: everything between its slashes and the
 * last `@`, because in a malformed URL the end of the credentials is not known. D52
 */
export const withoutCredentials = (text: string): string => {
  const start = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*/i.exec(text)?.[0] ?? ''
  const at = text.lastIndexOf('@')
  return at < 0 ? text : `${start}${redacted}${text.slice(at)}`
}
