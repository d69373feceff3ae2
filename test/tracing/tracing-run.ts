import { nodeClock } from '../../lib/runtime/node/clock'
import type { Clock } from '../../lib/runtime/runtime'
import type { Tracing } from '../../lib/runtime/tracer'
import { createRedact } from '../../lib/text/secret'
import { openTracing } from '../../lib/tracing/open-tracing'
import { createMemoryFiles, type FileContents } from '../support/files'
import { createFakeRuntime, type FakeRuntime } from '../support/runtime'

/** A run with its own environment, files and clock. */
export type TracingRun = FakeRuntime

interface RunOptions {
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly files?: FileContents | undefined
  /** By default, the clock of this machine. */
  readonly clock?: Clock | undefined
}

/** Creates a run. By default it has no environment variables and no files. */
export const createRun = (options: RunOptions): TracingRun =>
  createFakeRuntime({
    env: options.env ?? {},
    files: createMemoryFiles(options.files).files,
    clock: options.clock ?? nodeClock,
  })

/** Creates a run whose `OTEL_CONFIG_FILE` has this text. */
export const createRunWithConfig = (text: string, options: RunOptions = {}): TracingRun =>
  createRun({
    ...options,
    env: { ...options.env, OTEL_CONFIG_FILE: 'otel.yaml' },
    files: { ...options.files, 'otel.yaml': text },
  })

/** Opens tracing as with `--trace`, for version 1.2.3 of svc. `secrets` are API keys that svc redacts. */
export const openTestTracing = (
  run: TracingRun,
  options: { readonly secrets?: ReadonlyArray<string> | undefined } = {},
): Promise<Tracing> =>
  openTracing(run.runtime, {
    trace: true,
    noTrace: false,
    version: '1.2.3',
    level: 'warning',
    redact: createRedact(options.secrets ?? []),
  })
