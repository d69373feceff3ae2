/** The variables whose values are secrets. D3, spec: Tracing */
const variables = [
  'SERVICE_API_KEY',
  'TYPESAFE_API_KEY',
  'SERVICE_ENGINE_API_KEY',
  'TRACING_API_KEY',
] as const

/**
 * Collects the secrets that must not be shown: keys in the environment and on the command line. The command
 * line is searched unparsed, so that a key is also found behind a misspelt flag (`-api-key=…`), which will be
 * refused. D52
 */
export const secretsOf = (
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyArray<string> => {
  const inWords = argv.flatMap((word, index) => {
    if (/^-+api[-_]?key$/i.test(word)) return [argv[index + 1] ?? '']
    const sign = word.indexOf('=')
    const name = word.slice(0, Math.max(0, sign)).toLowerCase()
    return name.startsWith('-') && name.endsWith('key') ? [word.slice(sign + 1)] : []
  })
  return [...inWords, ...variables.map((name) => env[name] ?? '')].map((secret) => secret.trim())
}
