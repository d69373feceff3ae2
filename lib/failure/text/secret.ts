import { redacted } from './redact'

/** A value that prints as `[redacted]` wherever it is turned into text. D3 */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  /** The value itself. Use it only in the header that carries it. */
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return redacted
  }
  toJSON(): string {
    return redacted
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redacted
  }
}

/**
 * Redacts credentials in a text that ought to be a URL but is not valid: everything between its slashes and the
 * last `@`, because in a malformed URL the end of the credentials is not known. D52
 */
export const redactCredentials = (text: string): string => {
  const start = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*/i.exec(text)?.[0] ?? ''
  const at = text.lastIndexOf('@')
  return at < 0 ? text : `${start}${redacted}${text.slice(at)}`
}
