import * as E from 'fp-ts/Either'
import { join as joinWords } from 'shlex'
import type { DestinationSettings } from '../client/providers/destination-settings'
import { resolveWithoutKey } from '../client/providers/resolve-destination'
import type { Redact } from '../failure/text/redact'
import type { Runtime } from '../runtime/runtime'
import { goldenKey } from './exchange'

/** The flags that a recorded command line does not have. A recorded run has its own address and key. */
export const flagsNotRecorded = ['record', 'api-key', 'base-url']

/** A command line with the settings that decide where its calls go. */
export interface CommandSettings {
  /** The arguments after `svc`, without `flagsNotRecorded`. */
  readonly argv: ReadonlyArray<string>
  readonly destinationSettings: DestinationSettings
  /** True if a flag or a variable has a key. */
  readonly hasKey: boolean
  readonly redact: Redact
}

/** Describes a command and its environment as a scenario has them: for the address `{base_url}`, without its key. */
export const describeCommand = async (
  { argv, destinationSettings, hasKey, redact }: CommandSettings,
  env: Runtime['env'],
): Promise<{
  readonly command: string
  readonly env?: Readonly<Record<string, string | null>>
}> => {
  const address = `{base_url}${await findBasePath(destinationSettings, env)}`
  // With these flags svc reads neither the address nor the key of the environment.
  const isChosenByFlags =
    destinationSettings.provider?.source === '--provider' ||
    destinationSettings.address?.source === '--base-url'
  const flags = [...['--base-url', address], ...(hasKey ? ['--api-key', goldenKey] : [])]
  const settings: Record<string, string | null> = {
    ...(!isChosenByFlags && address !== '{base_url}' && { SERVICE_BASE_URL: address }),
    ...(!hasKey && { SERVICE_API_KEY: null }),
  }
  for (const name of ['SERVICE_PROVIDER', 'SERVICE_DIALECT', 'SERVICE_DEFAULT_MODEL']) {
    const value = env[name]
    if (value) settings[name] = value
  }
  const shown = ['svc', ...argv.map(redact), ...(isChosenByFlags ? flags : [])]
  return {
    command: joinWords(shown),
    ...(Object.keys(settings).length > 0 && { env: settings }),
  }
}

/** The path of the base address of calls, without a final slash; `''` if the settings give no address. */
const findBasePath = async (
  settings: DestinationSettings,
  env: Runtime['env'],
): Promise<string> => {
  const destination = await resolveWithoutKey(settings, env)()
  return E.isLeft(destination)
    ? ''
    : new URL(destination.right.settings.address.value).pathname.replace(/\/$/, '')
}
