/** The path of an API operation, split into what precedes `/v1` and the operation itself. */
interface OperationPath {
  /** The part before `/v1`, such as `/errors/auth-401`; empty for a plain path. */
  readonly prefix: string
  readonly route: '/v1/questions' | '/v1/systemone' | '/v1/models'
}

const routes = ['/v1/questions', '/v1/systemone', '/v1/models'] as const

/** Splits a path that ends in one of the API's operations; `undefined` for any other path. */
export const operationPath = (path: string): OperationPath | undefined => {
  const route = routes.find((one) => path.endsWith(one))
  return route === undefined ? undefined : { prefix: path.slice(0, -route.length), route }
}

/**
 * The path of a request target without its query. A target may also be a whole `http://host/path` address. RFC
 * 9112, 3.2
 */
export const pathOf = (target: string): string => {
  const [path = ''] = target.split('?', 1)
  return path.startsWith('http://') ? path.slice(path.indexOf('/', 'http://'.length)) : path
}
