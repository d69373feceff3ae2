import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { tableSource } from './address'
import type { DestinationSettings, Setting } from './destination-settings'
import { parseBaseUrl } from './endpoints'
import type { Provider } from './provider'

/** The name that begins messages about a setting if no provider is chosen. */
export const defaultSubject = 'typesafe'

/**
 * Checks the address that `findAddress` found, and removes the slashes at its end. An engine that asks no server has no address.
 * Messages name the setting with the address.
 */
export const checkAddress = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  address: Setting | undefined,
): E.Either<Failure, Setting> => {
  const providerName = settings.provider?.value
  if (provider?.engine?.asksServer === false)
    return settings.address === undefined
      ? E.right({ value: 'in this process', source: tableSource })
      : E.left(
          usage(`${settings.address.source} cannot be combined with ${describeChoice(settings)}`),
        )
  if (address === undefined) return E.left(createMissingAddressFailure(settings, provider))
  const url = parseBaseUrl(address.value)
  if (E.isRight(url)) {
    const isWholeAddress = /\/(?:systemone|decisions)$/.test(url.right)
    if (isWholeAddress && providerName === undefined && settings.dialect === undefined)
      return E.left(
        usage(`${url.right} is the address of a dialect: pass ${settings.dialectOption}`),
      )
    const value = provider?.isAzureResource ? dropAzurePath(url.right) : url.right
    return E.right({ value, source: address.source })
  }
  // `findAddress` looks for other addresses only if the settings have none.
  const isFromSettings = settings.address !== undefined
  const subject = isFromSettings
    ? `${providerName ?? defaultSubject}: invalid base URL`
    : `invalid ${address.source}`
  return E.left(usage(`${subject} ${url.left}`))
}

/** Creates the failure of a provider whose address, or account, the user must set. */
const createMissingAddressFailure = (
  { provider: choice, addressOption, ignoredVariables }: DestinationSettings,
  provider: Provider | undefined,
): Failure => {
  const { accountVariable, addressVariable } = provider ?? {}
  const variable = ignoredVariables === 'addresses' ? undefined : addressVariable
  const usedVariable = ignoredVariables === 'all' ? undefined : (accountVariable ?? variable)
  const lack =
    accountVariable === undefined ? 'has no default address' : 'needs the id of your account'
  const advice =
    usedVariable === undefined
      ? `pass ${addressOption}`
      : `set ${usedVariable} or pass ${addressOption}`
  return usage(`${choice?.value} ${lack}: ${advice}`)
}

/** Drops the path of an address at Azure, where it is that of another API of the same resource. A proxy keeps its path. */
const dropAzurePath = (address: string): string => {
  const { origin, hostname } = new URL(address)
  return hostname.endsWith('.azure.com') ? origin : address
}

/** Describes how the user has chosen the provider: `--provider chat` or `SERVICE_PROVIDER chat`. */
export const describeChoice = ({ provider }: Pick<DestinationSettings, 'provider'>): string =>
  `${provider?.source} ${provider?.value}`
