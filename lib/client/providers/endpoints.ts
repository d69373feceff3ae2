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

/** A base address with one of these at its end is the whole address for asking. */
const askSuffixes = ['/systemone', '/decisions', '/questions']

/**
 * Appends paths to a base address without repeating segments: `https://h/v1` with `/v1/models` becomes `https://h/v1/models`. A
 * base address that ends in `/systemone`, `/decisions` or `/questions` is the whole address for asking.
 */
export const mergePaths = (base: string, paths: EndpointPaths): Endpoints => {
  const { pathname } = new URL(base)
  const askSuffix = askSuffixes.find((suffix) => pathname.endsWith(suffix))
  if (askSuffix === undefined)
    return { ask: mergePath(base, paths.askPath), models: mergePath(base, paths.modelsPath) }
  const askPath = pathname.endsWith(paths.askPath) ? paths.askPath : askSuffix
  const parent = base.slice(0, -askSuffix.length)
  return {
    ask: { url: base, path: askPath },
    models: appendModelsSegment(parent, paths.modelsPath),
  }
}

/** Appends the last segment of the path for models: `https://h/v2` with `/v1/models` becomes `https://h/v2/models`. */
const appendModelsSegment = (base: string, modelsPath: string): Endpoint => {
  const slash = modelsPath.lastIndexOf('/')
  const lastSegment = modelsPath.slice(slash)
  // Messages show `/v1/models` if the URL ends in it, else `/models`.
  const parentPath = modelsPath.slice(0, slash)
  const hasWholePath = base.endsWith(parentPath)
  return { url: base + lastSegment, path: hasWholePath ? modelsPath : lastSegment }
}

/** Appends a path without the segments that the base address already ends in. */
const mergePath = (base: string, path: string): Endpoint => {
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
