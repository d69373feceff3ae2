import type { Dialect } from '../dialects/dialect'

/** An operation of a service: its address, and the path that messages name. */
export interface Endpoint {
  readonly url: string
  readonly path: string
}

/** The two operations of a service. */
interface Endpoints {
  readonly ask: Endpoint
  readonly models: Endpoint
}

/** The paths of a dialect, or those that a provider has instead. */
export type Paths = Pick<Dialect, 'askPath' | 'modelsPath'>

/** The operations below a base address, whatever its path ends in. */
export const appendPaths = (base: string, { askPath, modelsPath }: Paths): Endpoints => ({
  ask: { url: base + askPath, path: askPath },
  models: { url: base + modelsPath, path: modelsPath },
})

/**
 * The operations at an address given for a dialect. An address that ends in an ask path is used as it stands,
 * and what it shares with the path of an operation is not repeated.
 */
export const joinPaths = (base: string, { askPath, modelsPath }: Paths): Endpoints => {
  const { pathname } = new URL(base)
  const last = ['/systemone', '/decisions', '/questions'].find((path) => pathname.endsWith(path))
  if (last === undefined)
    return { ask: joinPath(base, askPath), models: joinPath(base, modelsPath) }
  const root = base.slice(0, -last.length)
  const slash = modelsPath.lastIndexOf('/')
  const ownModels = modelsPath.slice(slash)
  return {
    ask: { url: base, path: pathname.endsWith(askPath) ? askPath : last },
    models: {
      url: root + ownModels,
      path: root.endsWith(modelsPath.slice(0, slash)) ? modelsPath : ownModels,
    },
  }
}

/** Appends a path without the segments that the address already ends in. */
const joinPath = (base: string, path: string): Endpoint => {
  const { pathname } = new URL(base)
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (pathname.endsWith(path.slice(0, end))) return { url: base + path.slice(end), path }
  return { url: base + path, path }
}
