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
export const appendWholePaths = (
  base: string,
  { askPath, modelsPath }: EndpointPaths,
): Endpoints => ({
  ask: { url: base + askPath, path: askPath },
  models: { url: base + modelsPath, path: modelsPath },
})

/** If a base address ends in one of these, it is the whole address for asking. */
const askEnds = ['/systemone', '/decisions', '/questions']

/**
 * Appends paths to a base address without repeating segments: `https://h/v1` with `/v1/models` becomes `https://h/v1/models`. A
 * base address that ends in `/systemone`, `/decisions` or `/questions` is the whole address for asking.
 */
export const mergePaths = (base: string, paths: EndpointPaths): Endpoints => {
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
  // Messages show `/v1/models` if the URL ends in it, else `/models`.
  const hasWholePath = base.endsWith(modelsPath.slice(0, slash))
  return { url: base + lastSegment, path: hasWholePath ? modelsPath : lastSegment }
}

/** Appends a path without the segments that the base address already ends in. */
const joinPath = (base: string, path: string): Endpoint => {
  const { pathname } = new URL(base)
  const overlap = listPrefixes(path).find((prefix) => pathname.endsWith(prefix)) ?? ''
  return { url: base + path.slice(overlap.length), path }
}

/** Lists the prefixes of a path that have whole segments, the longest first: `/v1/models`, `/v1`. */
const listPrefixes = (path: string): ReadonlyArray<string> => {
  const prefixes: string[] = []
  let prefix = ''
  for (const segment of path.slice(1).split('/')) {
    prefix += `/${segment}`
    prefixes.unshift(prefix)
  }
  return prefixes
}
