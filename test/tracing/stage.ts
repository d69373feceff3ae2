import { createRedact } from '../../lib/failure/text/redact'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Clock } from '../../lib/runtime/runtime'
import { openTracing } from '../../lib/tracing/open-tracing'
import type { Tracing } from '../../lib/tracing/tracing'
import { type Contents, memoryFiles } from '../support/files'
import { type FakeRuntime, fakeRuntime } from '../support/runtime'

/** A run whose environment, files and time are the test's. */
export type Stage = Omit<FakeRuntime, 'interrupt'>

export const stage = (options: {
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly files?: Contents | undefined
  readonly clock?: Clock | undefined
}): Stage =>
  fakeRuntime({
    env: options.env ?? {},
    files: memoryFiles(options.files).files,
    clock: options.clock ?? nodeClock,
  })

/** Opens tracing with `--trace` and version 1.2.3. */
export const traceWith = (
  on: Stage,
  options: { readonly secrets?: ReadonlyArray<string> | undefined } = {},
): Promise<Tracing> =>
  openTracing(on.runtime, {
    trace: true,
    noTrace: false,
    version: '1.2.3',
    level: 'warning',
    redact: createRedact(options.secrets ?? []),
  })

/** A stage whose `OTEL_CONFIG_FILE` holds this text. */
export const configure = (
  text: string,
  more: {
    readonly env?: Readonly<Record<string, string>>
    readonly files?: Contents
    readonly clock?: Clock
  } = {},
): Stage =>
  stage({
    ...more,
    env: { ...more.env, OTEL_CONFIG_FILE: 'otel.yaml' },
    files: { ...more.files, 'otel.yaml': text },
  })
