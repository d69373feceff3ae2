import { chooseTarget, type Setting, type Target } from '../client/providers/target'
import type { Runtime } from '../runtime/runtime'
import type { FlagValue } from './values'

/** What the flags on the command line and the environment say about where calls go. */
export const readTarget = (passed: ReadonlyMap<string, FlagValue>, env: Runtime['env']): Target => {
  const settingOf = (name: string): Setting | undefined => {
    const value = passed.get(name)
    return typeof value === 'string' ? { value, source: `--${name}` } : undefined
  }
  return chooseTarget(
    {
      provider: settingOf('provider'),
      dialect: settingOf('dialect'),
      address: settingOf('base-url'),
      key: settingOf('api-key'),
      model: settingOf('model'),
    },
    env,
  )
}
