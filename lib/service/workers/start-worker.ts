import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkerEngine } from './work'

/**
 * Starts a worker thread for this engine. V8's young generation is limited to 8 MiB, which makes it collect
 * garbage in small steps; with its default a thread would take 50 MiB more.
 */
export const startWorker = (engine: WorkerEngine): Worker =>
  new Worker(join(import.meta.dirname, 'worker.js'), {
    workerData: engine,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
