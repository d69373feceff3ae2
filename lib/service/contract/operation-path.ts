import { servedDialects } from '../dialects/served-dialects'

/** A path that ends with a route of the API. */
interface OperationPath {
  /** The part before the route, such as `/errors/auth-401`, the address of a recorded scenario. It is `''` if there is none. */
  readonly prefix: string
  readonly route: string
}

/** The path of the model list. */
export const modelsPath = '/v1/models'

const operationRoutes = [...servedDialects.map(({ askPath }) => askPath), modelsPath]

/** The paths that report on the service itself and need no key. */
export const reportPaths = ['/healthz', '/readyz', '/metrics', '/openapi.json'] as const

/** Returns true for the routes of OpenAI's API that answer with text, with or without `/v1`. The service does not have them. */
export const isTextRoute = (path: string): boolean =>
  /^(?:\/v1)?\/(?:chat\/completions|completions|responses)$/.test(path)

/** Splits a path that ends with a route of the API. Returns `undefined` for any other path. */
export const parseOperationPath = (path: string): OperationPath | undefined => {
  const route = operationRoutes.find((operationRoute) => path.endsWith(operationRoute))
  return route === undefined ? undefined : { prefix: path.slice(0, -route.length), route }
}

/**
 * Parses an HTTP request target (RFC 9112, 3.2): its path without the query and, if the target is a URL such as
 * `http://host:80/path` or `https://host/path`, the host with its port.
 */
export const parseTarget = (target = ''): { readonly host?: string; readonly path: string } => {
  const [withoutQuery = ''] = target.split('?', 1)
  const [, host, path = ''] = /^https?:\/\/([^/]*)(.*)$/i.exec(withoutQuery) ?? []
  return host === undefined ? { path: withoutQuery } : { host, path }
}
