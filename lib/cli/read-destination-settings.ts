import {
  type DestinationSettings,
  type Setting,
  selectDestinationSettings,
} from '../client/providers/destination-settings'
import type { Runtime } from '../runtime/runtime'
import type { FlagValue } from './values'

/** Reads the settings that decide where calls go, from the flags on the command line and the environment. */
export const readDestinationSettings = (
  passed: ReadonlyMap<string, FlagValue>,
  env: Runtime['env'],
): DestinationSettings => {
  const createSetting = (name: string): Setting | undefined => {
    const value = passed.get(name)
    return typeof value === 'string' ? { value, source: `--${name}` } : undefined
  }
  return selectDestinationSettings(
    {
      provider: createSetting('provider'),
      dialect: createSetting('dialect'),
      address: createSetting('base-url'),
      key: createSetting('api-key'),
      model: createSetting('model'),
    },
    env,
  )
}
