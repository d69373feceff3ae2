import { batch } from '../lib/batch/batch'
import type { batchFlags } from '../lib/batch/flags'
import type { Run } from '../lib/cli/declaration'

/** Runs `svc batch`: asks about every row of an input. R3-R13 */
export const run: Run<typeof batchFlags> = batch
