import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkerEngine } from './work'

/** Starts a thread with this engine. Its main file, `worker.ts`, lies beside the parts of the built program. */
export const startWorker = (engine: WorkerEngine): Worker =>
  new Worker(join(import.meta.dirname, 'worker.js'), { workerData: engine })
