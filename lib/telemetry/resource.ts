import {
  defaultResource,
  detectResources,
  hostDetector,
  osDetector,
  processDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources'
import type { Runtime } from '../runtime/runtime'
import type { Detector, ResourceConfig } from './config'

type Outside = Pick<Runtime, 'env' | 'files'>
type Found = Readonly<Record<string, unknown>>

/**
 * The resource of all spans: the SDK's defaults, then what the wanted detectors find, then
 * the configured attributes. Everything is known when it resolves. D34
 */
export const buildResource = async (
  config: ResourceConfig,
  outside: Outside,
): Promise<Resource> => {
  const found = await Promise.all(config.detectors.map((detector) => detect(detector, outside)))
  const kept = found.flatMap((attributes) =>
    Object.entries(attributes).filter(([name]) => config.keep(name)),
  )
  return defaultResource()
    .merge(resourceFromAttributes(Object.fromEntries(kept) as Resource['attributes']))
    .merge(
      resourceFromAttributes(
        Object.fromEntries(config.attributes),
        config.schemaUrl === undefined ? {} : { schemaUrl: config.schemaUrl },
      ),
    )
}

/** The arguments of a run may hold the key, the state and the questions: they never leave it (D33). */
const neverSent = 'process.command_args'

const detect = async (detector: Detector, outside: Outside): Promise<Found> => {
  switch (detector) {
    case 'host':
      return library(hostDetector, osDetector)
    case 'process': {
      const { [neverSent]: _dropped, ...rest } = await library(processDetector)
      return rest
    }
    case 'service': {
      const name = outside.env.OTEL_SERVICE_NAME ?? ''
      const instance = await library(serviceInstanceIdDetector)
      return name === '' ? instance : { ...instance, 'service.name': name }
    }
    case 'container':
      return container(outside)
  }
}

const library = async (...detectors: (typeof hostDetector)[]): Promise<Found> => {
  const resource = detectResources({ detectors })
  await resource.waitForAsyncAttributes?.()
  return Object.fromEntries(
    Object.entries(resource.attributes).filter(([, value]) => value !== undefined),
  )
}

/** The container's id as the kernel names it: in the cgroup (v1), else in a mount of it (v2). */
const container = async ({ files }: Outside): Promise<Found> => {
  const read = async (path: string, pattern: RegExp): Promise<string | undefined> => {
    const bytes = await files.read(path).catch(() => new Uint8Array())
    return pattern.exec(Buffer.from(bytes).toString('latin1'))?.[1]
  }
  const id =
    (await read('/proc/self/cgroup', /[/-]([0-9a-f]{64})(?:\.scope)?$/m)) ??
    (await read('/proc/self/mountinfo', /containers\/(?:overlay-containers\/)?([0-9a-f]{64})\//))
  return id === undefined ? {} : { 'container.id': id }
}
