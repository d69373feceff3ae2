import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../../failure/failure'
import type { Secret } from '../../failure/text/secret'
import type { Runtime } from '../../runtime/runtime'
import { type Dialect, type DialectName, dialectNames, type KeyHeader } from '../dialects/dialect'
import { findAddress, listKeyVariables } from './address'
import { parseBaseUrl } from './base-url'
import { appendPaths, type Endpoint, joinPaths } from './endpoints'
import type { Provider } from './table'
import { chooseName, type Setting, type Target } from './target'

/** Where calls go: a service, how it is spoken to, and which model answers. */
export interface Destination {
  /** How messages name the service: by the provider, or by the dialect where no provider is named. */
  readonly service: string
  /** The provider, which begins the messages of failed calls; `undefined` if none is named. */
  readonly provider?: string | undefined
  readonly dialect: Dialect
  readonly ask: Endpoint
  readonly models: Endpoint
  /** The key; `undefined` where none is sent. */
  readonly key: Secret | undefined
  readonly keyHeader: KeyHeader
  /** The response header with the request id; `''` where none is known. */
  readonly requestIdHeader: string
  /** The model for requests that name none; `undefined` where there is no default. */
  readonly model: string | undefined
  /** Whether the service runs on this machine and may have to load its model first. Then attempts have more time. */
  readonly isLocal?: boolean
  /** How to name a model, where there is no default. */
  readonly modelHint: string
  /** Whether the service takes images; a service without a row of the table is asked. */
  readonly takesImages: boolean
  /** Whether requests with images need TypeSafe's header for them. */
  readonly needsImagesHeader: boolean
}

/** A place without its key, and where each of its settings comes from. */
export interface Route extends Omit<Destination, 'key'> {
  /** What the provider is, in one line for people; `undefined` without a provider. */
  readonly summary: string | undefined
  readonly settings: {
    readonly provider: Setting | undefined
    readonly dialect: Setting
    readonly address: Setting
    readonly model: Setting | undefined
  }
  /** The variables in which a key for this place is looked up. */
  readonly keyVariables: ReadonlyArray<string>
  readonly needsKey: boolean
}

/** Resolves where calls go, for a provider's row and a dialect that are loaded. Fails with a usage error. */
export const resolveRoute = (
  target: Target,
  provider: Provider | undefined,
  dialect: Dialect,
  env: Runtime['env'],
): E.Either<Failure, Route> =>
  pipe(
    checkAddress(target, provider, env),
    E.map((address) => routeOf(target, provider, address, dialect)),
  )

/** The dialect: the one named, else the provider's first, else that of the specification. */
export const chooseDialect = (
  { provider: named, dialect }: Target,
  provider: Provider | undefined,
): E.Either<Failure, DialectName> => {
  const spoken = provider?.dialects.map(({ name }) => name)
  if (dialect === undefined) return E.right(spoken?.[0] ?? 'questions')
  return pipe(
    chooseName(dialect, dialectNames),
    E.filterOrElse(
      (name) => spoken?.includes(name) ?? true,
      (name) =>
        usage(`${dialect.source}: ${named?.value} speaks ${spoken?.join(', ')}, not ${name}`),
    ),
  )
}

const checkAddress = (
  target: Target,
  provider: Provider | undefined,
  env: Runtime['env'],
): E.Either<Failure, Setting> => {
  const address = findAddress(target, provider, env)
  if (address === undefined)
    return E.left(
      usage(`${target.provider?.value} has no address of its own: pass ${target.addressOption}`),
    )
  const { source } = address
  const setting =
    source === target.address?.source
      ? `${target.provider?.value ?? 'typesafe'}: invalid base URL`
      : `invalid ${source}`
  return pipe(
    parseBaseUrl(address.value),
    E.bimap(
      (why) => usage(`${setting} ${why}`),
      (value) => ({ value, source }),
    ),
  )
}

const routeOf = (
  target: Target,
  provider: Provider | undefined,
  address: Setting,
  dialect: Dialect,
): Route => {
  const own = provider?.dialects.find(({ name }) => name === dialect.name)
  const paths = {
    askPath: own?.askPath ?? dialect.askPath,
    modelsPath: own?.modelsPath ?? dialect.modelsPath,
  }
  const isPlain = provider === undefined && target.dialect === undefined
  const endpoints = isPlain ? appendPaths(address.value, paths) : joinPaths(address.value, paths)
  const usual = provider === undefined ? dialect.defaultModel : provider.defaultModel
  const model = target.model ?? (usual ? { value: usual, source: 'default' } : undefined)
  return {
    service: target.provider?.value ?? dialect.name,
    provider: target.provider?.value,
    summary: provider?.summary,
    dialect,
    ...endpoints,
    keyHeader: provider?.keyHeader ?? dialect.keyHeader,
    requestIdHeader: provider?.requestIdHeader ?? dialect.requestIdHeader,
    model: model?.value,
    isLocal: provider?.isLocal ?? false,
    modelHint: provider?.modelHint ?? 'pass --model',
    takesImages: provider === undefined || provider.takesImages === true,
    needsImagesHeader: provider?.needsImagesHeader === true,
    settings: {
      provider: target.provider,
      dialect: target.dialect ?? { value: dialect.name, source: 'default' },
      address,
      model,
    },
    keyVariables: listKeyVariables(target, provider, address),
    needsKey: provider?.needsKey ?? true,
  }
}
