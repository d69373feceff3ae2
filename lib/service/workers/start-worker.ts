import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/**
 * Starts a worker thread. The limits, in MiB, have V8 collect garbage often: by default a thread would
 * take 50 MiB more for new objects, and up to four times what is in use before it looks at old ones. No request of
 * 16 MiB needs half of the second limit; a worker that did would end, and another take its place.
 */
export const startWorker = (): Worker =>
  new Worker(join(import.meta.dirname, 'worker.js'), {
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 },
  })
