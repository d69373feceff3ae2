import { batch } from '../lib/batch/batch'
import type { Run } from '../lib/cli/declaration'
import type { BatchFlags } from './batch'

/** Runs `svc batch`: asks about every row of an input. R3-R13 */
export const run: Run<BatchFlags> = batch
