import * as E from 'fp-ts/Either'
import { redactCredentials, redactQuery } from '../../text/secret'
import type { Dialect } from '../dialects/dialect'
import type { DestinationSettings } from './destination-settings'
import type { Provider } from './provider'

/**
 * Checks a base address, and removes the slashes at its end. Fails with the address and the fault, such as
 * `"ftp://h": the scheme must be http or https`. Its credentials and its query are redacted. The caller adds the name of the
 * setting.
 */
export const parseBaseUrl = (text: string): E.Either<string, string> => {
  const trimmed = text.trim()
  const fault = describeUrlFault(trimmed)
  if (fault !== undefined) return E.left(`"${redactQuery(redactCredentials(trimmed))}": ${fault}`)
  const { origin, pathname } = new URL(trimmed)
  return E.right(origin + dropLastSlashes(pathname))
}

/** Takes linear time. A regular expression such as `/\/+$/` would take quadratic time for many slashes. */
const dropLastSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const wrongScheme = 'the scheme must be http or https'
const noHost = 'the host is missing'

const describeUrlFault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return describeSyntaxFault(text)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return wrongScheme
  // `URL` silently drops some of these characters and encodes others, so svc would call an address that the user did not write.
  if (/[\s\p{Cc}]/u.test(text)) return 'it must not have blanks or control characters'
  // `URL` accepts `http:x` and `http:///x`, and takes `x` as the host.
  if (!/^https?:\/\/[^\\/]/i.test(text)) return noHost
  if (url.username !== '' || url.password !== '') return 'it must not carry credentials'
  if (text.includes('#')) return 'it must not have a fragment'
  if (text.includes('?')) return 'it must not have a query'
  return undefined
}

/** Describes why `URL` refuses a text. */
const describeSyntaxFault = (text: string): string => {
  // The scheme is the text before the colon: `http` of `http://h`.
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return wrongScheme
  // A URL without a host, such as `http://`, `https://?q` or `http://:80`.
  return /^[a-z]+:[\\/]*(?:[?#:]|$)/i.test(text) ? noHost : 'it is not a valid URL'
}

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
type EndpointPaths = Pick<Dialect, 'askPath' | 'modelsPath'>

/**
 * Creates the endpoints from an address and the paths of a provider or dialect. If the settings name no provider and
 * no dialect, the address is taken for that of `svc serve`, and the whole paths are appended. Otherwise segments that the address
 * already ends in are not repeated.
 */
export const createEndpoints = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  address: string,
  dialect: Dialect,
): Endpoints => {
  const providerDialect = provider?.dialects.find(({ name }) => name === dialect.name)
  const paths = {
    askPath: providerDialect?.askPath ?? dialect.askPath,
    modelsPath: providerDialect?.modelsPath ?? dialect.modelsPath,
  }
  const isSvcServe = provider === undefined && settings.dialect === undefined
  return isSvcServe ? appendWholePaths(address, paths) : mergePaths(address, paths)
}

/** Appends paths to a base address: `https://h/v1` with `/v1/models` becomes `https://h/v1/v1/models`. */
export const appendWholePaths = (
  base: string,
  { askPath, modelsPath }: EndpointPaths,
): Endpoints => ({
  ask: { url: base + askPath, path: askPath },
  models: { url: base + modelsPath, path: modelsPath },
})

/** The last segments of the paths for asking. */
const askSuffixes = ['/systemone', '/decisions', '/questions']

/**
 * Appends paths to a base address without repeating segments: `https://h/v1` with `/v1/models` becomes `https://h/v1/models`. A
 * base address that ends in `/systemone`, `/decisions` or `/questions` is the whole address for asking.
 */
export const mergePaths = (base: string, paths: EndpointPaths): Endpoints => {
  const { pathname } = new URL(base)
  const askSuffix = askSuffixes.find((suffix) => pathname.endsWith(suffix))
  if (askSuffix === undefined)
    return {
      ask: appendMissingSegments(base, paths.askPath),
      models: appendMissingSegments(base, paths.modelsPath),
    }
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
const appendMissingSegments = (base: string, path: string): Endpoint => {
  const { pathname } = new URL(base)
  // `''` if the address ends in no prefix of the path.
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
