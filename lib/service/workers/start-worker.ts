import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkerEngine } from './messages'

/**
 * Starts a worker thread for this engine. The limits, in MiB, have V8 collect garbage often: by default a thread would
 * take 50 MiB more for new objects, and up to four times what is in use before it looks at old ones. No request of
 * 16 MiB needs half of the second limit; a worker that did would end, and another take its place.
 */
export const startWorker = (engine: WorkerEngine): Worker =>
  new Worker(join(import.meta.dirname, 'worker.js'), {
    workerData: engine,
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 },
  })
