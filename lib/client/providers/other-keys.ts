import type { Runtime } from '../../runtime/runtime'
import { providers } from './table'

/**
 * Describes the keys of providers that are set, but that a call does not use: `OPENAI_API_KEY is set: --provider openai would use it`.
 * `usedVariables` are the variables whose keys the call may use.
 */
export const describeOtherKeys = (
  env: Runtime['env'],
  usedVariables: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const sentences: string[] = []
  for (const [name, { keyVariables }] of Object.entries(providers)) {
    const variable = keyVariables.find((candidate) => env[candidate]?.trim())
    if (variable !== undefined && !usedVariables.includes(variable))
      sentences.push(`${variable} is set: --provider ${name} would use it`)
  }
  return sentences
}
