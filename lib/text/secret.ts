/** The text that replaces a secret. */
export const redacted = '[redacted]'

/** Replaces the secrets in a text by `[redacted]`. */
export type Redact = (text: string) => string

/** Shorter secrets also occur in ordinary words. Redacting them would garble texts and hide nothing. */
const minSecretLength = 4

/**
 * Creates a function that redacts secrets of at least four characters: as they are, JSON-escaped and percent-encoded. The function
 * takes linear time.
 */
export const createRedact = (secrets: ReadonlyArray<string>): Redact => {
  const longEnough = secrets.filter((secret) => secret.length >= minSecretLength)
  const spellings = [...new Set(longEnough.flatMap(listSpellings))]
  // Longer spellings come first, because a secret can be a part of another one.
  spellings.sort((a, b) => b.length - a.length)
  return (text) => {
    let result = text
    for (const spelling of spellings) result = result.replaceAll(spelling, redacted)
    return result
  }
}

/** Lists the ways in which a text may contain a secret. */
const listSpellings = (secret: string): ReadonlyArray<string> => {
  // The text in JSON, without the quotes around it.
  const json = JSON.stringify(secret).slice(1, -1)
  // `encodeURIComponent` throws on lone surrogates, which `Buffer` replaces.
  const percent = encodeURIComponent(Buffer.from(secret).toString())
  const lowerPercent = percent.replace(/%../g, (byte) => byte.toLowerCase())
  return [secret, json, json.replaceAll('/', '\\/'), percent, lowerPercent]
}

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
  const schemeAndSlashes = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*/i.exec(text)?.[0] ?? ''
  const atSignIndex = text.lastIndexOf('@')
  return atSignIndex < 0 ? text : `${schemeAndSlashes}${redacted}${text.slice(atSignIndex)}`
}
