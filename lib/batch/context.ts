import type { Context } from '../cli/declaration'
import type { Flags } from '../cli/flags'
import type { GivenPolicy } from '../policy/policy'
import type { Plan } from './ask-row'
import type { BatchFlags } from './flags'
import type { Fields } from './row'
import type { Settings } from './settings'

/** The part of a command's context that `svc batch` uses. */
export interface BatchContext
  extends Pick<Context<Flags>, 'runtime' | 'build' | 'tracer' | 'key' | 'globals' | 'level'> {
  readonly flags: BatchFlags
  readonly given: (name: 'model') => boolean
}

/** What is decided before the first row is read. */
export interface Prepared {
  readonly settings: Settings
  readonly plan: Plan
  readonly policy: GivenPolicy | undefined
  readonly fields: Fields
}
