import { servedDialects } from '../../client/dialects/serve'

/** The path of an API operation, split into what precedes `/v1` and the operation itself. */
interface OperationPath {
  /** The part before `/v1`, such as `/errors/auth-401`; empty for a plain path. */
  readonly prefix: string
  readonly route: string
}

/** The path of the model list. */
export const modelsPath = '/v1/models'

const routes = [...servedDialects.map(({ askPath }) => askPath), modelsPath]

/** Splits a path that ends in one of the API's operations; `undefined` for any other path. */
export const operationPath = (path: string): OperationPath | undefined => {
  const route = routes.find((one) => path.endsWith(one))
  return route === undefined ? undefined : { prefix: path.slice(0, -route.length), route }
}

/**
 * Splits a request target into its path without the query and, where the target is a whole `http://host/path` address,
 * the host with its port. RFC 9112, 3.2
 */
export const parseTarget = (target = ''): { readonly host?: string; readonly path: string } => {
  const [whole = ''] = target.split('?', 1)
  const [, host, path = ''] = /^http:\/\/([^/]*)(.*)$/i.exec(whole) ?? []
  return host === undefined ? { path: whole } : { host, path }
}
