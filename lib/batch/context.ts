import type { Context } from '../cli/declaration'
import type { GivenPolicy } from '../policy/policy'
import type { Plan } from './ask-row'
import type { batchFlags } from './flags'
import type { Fields } from './row'
import type { Settings } from './settings'

/** What `svc batch` has access to. */
export type BatchContext = Context<typeof batchFlags>

/** What is decided before the first row is read. */
export interface Prepared {
  readonly settings: Settings
  readonly plan: Plan
  readonly policy: GivenPolicy | undefined
  readonly fields: Fields
}
