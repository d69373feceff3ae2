import { redacted } from './redact'

/** A value that prints as `[redacted]` in every conversion to text. */
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
 * Redacts credentials in a text that should be a URL but is not valid: everything between its slashes and the last
 * `@`, because a malformed URL does not show where its credentials end.
 */
export const redactCredentials = (text: string): string => {
  const start = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*/i.exec(text)?.[0] ?? ''
  const at = text.lastIndexOf('@')
  return at < 0 ? text : `${start}${redacted}${text.slice(at)}`
}
