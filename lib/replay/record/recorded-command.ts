import * as E from 'fp-ts/Either'
import { join as joinWords } from 'shlex'
import { resolveWithoutKey } from '../../client/providers/destination'
import type { DestinationSettings } from '../../client/providers/destination-settings'
import type { Runtime } from '../../runtime/runtime'
import type { Redact } from '../../text/secret'
import { goldenKey } from '../compare-requests'
import { escapePlaceholders } from '../placeholders'

/** The names of the flags that a recorded command line leaves out. `describeCommand` adds its own address and key. */
export const flagsNotRecorded = ['record', 'api-key', 'base-url']

/** A command line with the settings that decide where its calls go. */
export interface CommandSettings {
  /** The arguments after `svc`, without `flagsNotRecorded`. */
  readonly argv: ReadonlyArray<string>
  readonly destinationSettings: DestinationSettings
  /** `true` if a flag or an environment variable has an API key. */
  readonly hasKey: boolean
  readonly redact: Redact
}

/** The command and the environment of a scenario, as `scenario.json` has them. */
interface DescribedCommand {
  readonly command: string
  readonly env: Readonly<Record<string, string | null>> | undefined
}

/** The environment variables that are recorded with their values. They have no secrets. */
const recordedVariables = ['SERVICE_PROVIDER', 'SERVICE_DIALECT', 'SERVICE_DEFAULT_MODEL']

/** Describes a command for a scenario: its calls go to `{base_url}`, and the key of all scenarios replaces the user's key. */
export const describeCommand = async (
  { argv, destinationSettings, hasKey, redact }: CommandSettings,
  env: Runtime['env'],
): Promise<DescribedCommand> => {
  const words = ['svc', ...argv.map((word) => escapePlaceholders(redact(word)))]
  const recordedEnv: Record<string, string | null> = {}
  const basePath = await findBasePath(destinationSettings, env)
  const address = `{base_url}${basePath}`
  if (basePath === undefined) {
    // Scenarios set this variable for the service, which is not asked.
    recordedEnv.SERVICE_BASE_URL = null
  } else if (isDestinationPassed(destinationSettings)) {
    // svc then reads neither SERVICE_BASE_URL nor SERVICE_API_KEY.
    words.push('--base-url', address)
    if (hasKey) words.push('--api-key', goldenKey)
  } else if (address !== '{base_url}') recordedEnv.SERVICE_BASE_URL = address
  if (!hasKey) recordedEnv.SERVICE_API_KEY = null
  for (const name of recordedVariables) {
    const value = env[name]
    if (value) recordedEnv[name] = escapePlaceholders(value)
  }
  const hasEnv = Object.keys(recordedEnv).length > 0
  return { command: joinWords(words), env: hasEnv ? recordedEnv : undefined }
}

/** Returns `true` if flags decide where calls go. */
const isDestinationPassed = ({ provider, address }: DestinationSettings): boolean =>
  provider?.source === '--provider' || address?.source === '--base-url'

/**
 * Returns the path of the base address of calls, such as `/v1`, without a final slash; `''` if the settings are invalid, and `undefined`
 * if an engine in this process answers that asks no server.
 */
const findBasePath = async (
  settings: DestinationSettings,
  env: Runtime['env'],
): Promise<string | undefined> => {
  const destination = await resolveWithoutKey(settings, env)
  if (E.isLeft(destination)) return ''
  if (destination.right.engine?.asksServer === false) return undefined
  return new URL(destination.right.settings.address.value).pathname.replace(/\/$/, '')
}
