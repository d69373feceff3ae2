/** The path of one of the API's operations, cut in two. */
export interface OperationPath {
  /** What comes before `/v1`; empty where nothing does. */
  readonly prefix: string
  readonly route: '/v1/questions' | '/v1/systemone' | '/v1/models'
}

const routes = ['/v1/questions', '/v1/systemone', '/v1/models'] as const

/** Finds the operation at the end of a path; `undefined` for any other path. */
export const operationPath = (path: string): OperationPath | undefined => {
  const route = routes.find((one) => path.endsWith(one))
  return route === undefined ? undefined : { prefix: path.slice(0, -route.length), route }
}

/** The path of a request target; an absolute target has one too. RFC 9112, 3.2 */
export const pathOf = (target: string): string => {
  const [path = ''] = target.split('?', 1)
  return path.startsWith('http://') ? path.slice(path.indexOf('/', 'http://'.length)) : path
}
