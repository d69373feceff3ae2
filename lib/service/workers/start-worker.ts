import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkerEngine } from './work'

/**
 * Starts a thread with this engine. What a request leaves behind is cleared away in small steps, or a thread would take
 * 50 MiB more: 8 MiB is a third of what Node allows for new objects.
 */
export const startWorker = (engine: WorkerEngine): Worker =>
  new Worker(join(import.meta.dirname, 'worker.js'), {
    workerData: engine,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
