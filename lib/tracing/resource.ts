import type { Attributes } from '@opentelemetry/api'
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
import type { Detector, ResourceSettings } from './read-resource'

type Outside = Pick<Runtime, 'env' | 'files'>

/**
 * Builds the description of the sender that all spans carry: the SDK's defaults, then what the chosen detectors
 * find, then the attributes of the settings; later ones win. D34
 */
export const buildResource = async (
  { attributes, detectors, keep, schemaUrl }: ResourceSettings,
  outside: Outside,
): Promise<Resource> => {
  const found = await Promise.all(detectors.map((detector) => detect(detector, outside)))
  const kept = found.flatMap((one) => Object.entries(one).filter(([name]) => keep(name)))
  return defaultResource()
    .merge(resourceFromAttributes(Object.fromEntries(kept)))
    .merge(resourceFromAttributes(attributes, schemaUrl === undefined ? {} : { schemaUrl }))
}

/**
 * The attribute with the arguments of the process. It is never sent, because they may hold the key, the state
 * and the questions (D33).
 */
const neverSent = 'process.command_args'

const detect = async (detector: Detector, { env, files }: Outside): Promise<Attributes> => {
  switch (detector) {
    case 'host':
      return runDetectors(hostDetector, osDetector)
    case 'process':
      return { ...(await runDetectors(processDetector)), [neverSent]: undefined }
    case 'service': {
      const name = env.OTEL_SERVICE_NAME || undefined
      return { ...(await runDetectors(serviceInstanceIdDetector)), 'service.name': name }
    }
    case 'container':
      return { 'container.id': await findContainerId(files) }
  }
}

/** The attributes that detectors of the SDK find, complete with those found asynchronously. */
const runDetectors = async (...detectors: (typeof hostDetector)[]): Promise<Attributes> => {
  const resource = detectResources({ detectors })
  await resource.waitForAsyncAttributes?.()
  return resource.attributes
}

/**
 * The id of the container that the program runs in, from what Linux reports about the process: its control
 * group (cgroup v1) or its mounts (cgroup v2). `undefined` outside of containers.
 */
const findContainerId = async (files: Runtime['files']): Promise<string | undefined> => {
  const find = async (path: string, pattern: RegExp): Promise<string | undefined> => {
    const bytes = await files.read(path).catch(() => new Uint8Array())
    return pattern.exec(Buffer.from(bytes).toString('latin1'))?.[1]
  }
  return (
    (await find('/proc/self/cgroup', /[/-]([0-9a-f]{64})(?:\.scope)?$/m)) ??
    (await find('/proc/self/mountinfo', /containers\/(?:overlay-containers\/)?([0-9a-f]{64})\//))
  )
}
