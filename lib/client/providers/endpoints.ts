import type { Dialect } from '../dialects/dialect'

/** An endpoint of a service. */
export interface Endpoint {
  readonly url: string
  /** The path that messages show, without the path of the base address. */
  readonly path: string
}

/** The endpoints that svc calls. */
interface Endpoints {
  readonly ask: Endpoint
  readonly models: Endpoint
}

/** The paths of a dialect, or those that a provider has instead. */
export type EndpointPaths = Pick<Dialect, 'askPath' | 'modelsPath'>

/** Appends paths to a base address: `https://h/v1` with `/v1/models` becomes `https://h/v1/v1/models`. */
export const appendPaths = (base: string, { askPath, modelsPath }: EndpointPaths): Endpoints => ({
  ask: { url: base + askPath, path: askPath },
  models: { url: base + modelsPath, path: modelsPath },
})

/** The ends of addresses that are the whole address for asking. */
const askEnds = ['/systemone', '/decisions', '/questions']

/**
 * Appends paths to a base address without repeating segments: `https://h/v1` with `/v1/models` becomes `https://h/v1/models`. A
 * base address that ends in `/systemone`, `/decisions` or `/questions` is the whole address for asking.
 */
export const joinPaths = (base: string, paths: EndpointPaths): Endpoints => {
  const { pathname } = new URL(base)
  const askEnd = askEnds.find((end) => pathname.endsWith(end))
  if (askEnd === undefined)
    return { ask: joinPath(base, paths.askPath), models: joinPath(base, paths.modelsPath) }
  const askPath = pathname.endsWith(paths.askPath) ? paths.askPath : askEnd
  const parent = base.slice(0, -askEnd.length)
  return { ask: { url: base, path: askPath }, models: joinModels(parent, paths.modelsPath) }
}

/** Appends the last segment of the path for models: `https://h/v2` with `/v1/models` becomes `https://h/v2/models`. */
const joinModels = (base: string, modelsPath: string): Endpoint => {
  const slash = modelsPath.lastIndexOf('/')
  const lastSegment = modelsPath.slice(slash)
  const hasFullPath = base.endsWith(modelsPath.slice(0, slash))
  return { url: base + lastSegment, path: hasFullPath ? modelsPath : lastSegment }
}

/** Appends a path without the segments that the base address already ends in. */
const joinPath = (base: string, path: string): Endpoint => {
  const { pathname } = new URL(base)
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (pathname.endsWith(path.slice(0, end))) return { url: base + path.slice(end), path }
  return { url: base + path, path }
}
