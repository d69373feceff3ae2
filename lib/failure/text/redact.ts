/** The text that replaces a secret. */
export const redacted = '[redacted]'

/** Replaces the secrets in a text by `[redacted]`. */
export type Redact = (text: string) => string

/** Shorter secrets also occur in ordinary words. Redacting them would garble texts and hide nothing. */
const minSecretLength = 4

/**
 * Creates a function that redacts secrets of at least four characters: as they are, JSON-escaped and percent-encoded.
 * Takes linear time.
 */
export const createRedact = (secrets: ReadonlyArray<string>): Redact => {
  const long = secrets.filter((secret) => secret.length >= minSecretLength)
  // The longest come first, in case one is part of another.
  const spellings = [...new Set(long.flatMap(listSpellings))].sort((a, b) => b.length - a.length)
  return (text) => {
    let result = text
    for (const spelling of spellings) result = result.replaceAll(spelling, redacted)
    return result
  }
}

const listSpellings = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  // `encodeURIComponent` throws on lone surrogates, which `Buffer` replaces.
  const percent = encodeURIComponent(Buffer.from(secret).toString())
  const lowerPercent = percent.replace(/%../g, (byte) => byte.toLowerCase())
  return [secret, json, json.replaceAll('/', '\\/'), percent, lowerPercent]
}
