import * as E from 'fp-ts/Either'
import { parseBaseUrl } from '../../../client/providers/endpoints'
import type { JsonValue } from '../../../codec/json/json'
import { parseText } from '../../../codec/json/parse'
import { type Failure, usage } from '../../../failure/failure'
import type { Runtime } from '../../../runtime/runtime'
import type { Secret } from '../../../text/secret'
import {
  type EngineNames,
  type EngineSettings,
  readEngineKey,
} from '../../contract/engine-settings'
import type { ReadoutOptions } from '../readout/answers'

/** The settings of the `chat` engine, checked. */
export interface ChatOptions
  extends ReadoutOptions,
    Pick<EngineSettings, 'concurrency' | 'timeout' | 'maxRetries'> {
  /** The base address, as for OpenAI's clients. svc adds `/v1` to an address without a path. */
  readonly url: string
  /** The model's id at the endpoint, and its name in responses; `''` if the user has named none. */
  readonly model: string
  /** Sent as a bearer token. */
  readonly apiKey: Secret | undefined
  /** A JSON object with more members for every request body. A null removes a member that svc sets. */
  readonly extraMembers: JsonValue | undefined
  readonly names: EngineNames
}

/** Checks that the address is set, and normalizes it. Parses the body and the key. Fails with a usage error that names the flag. */
export const checkChatOptions = (
  settings: EngineSettings,
  names: EngineNames,
  env: Runtime['env'],
): E.Either<Failure, ChatOptions> => {
  const { model = '', body } = settings
  const { choice, nameOf } = names
  const apiKey = readEngineKey(env, settings)
  if (E.isLeft(apiKey)) return apiKey
  const extraMembers =
    body === undefined ? E.right(undefined) : parseEngineBody(body, nameOf('body'))
  if (E.isLeft(extraMembers)) return extraMembers
  if (!settings.url) return E.left(usage(`${choice} needs ${nameOf('url')}`))
  const url = parseBaseUrl(settings.url)
  if (E.isLeft(url)) return E.left(usage(`invalid ${nameOf('url')} ${url.left}`))
  return E.right({
    ...settings,
    url: url.right,
    model,
    apiKey: apiKey.right,
    extraMembers: extraMembers.right,
    names,
  })
}

/** The members of a request body that svc sets. The user must not give them a value. */
const svcMembers = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'logprobs',
  'top_logprobs',
  'stream',
  'n',
])

/** The members that the user may remove with null. svc can read the answer without them. */
const removableMembers = new Set(['max_tokens', 'max_completion_tokens', 'temperature', 'stream'])

/**
 * Parses the text of the flag with more members for request bodies. Fails if it is not a JSON object, if it gives a value to one of
 * `svcMembers`, or if it removes one that is not in `removableMembers`.
 */
export const parseEngineBody = (text: string, flag: string): E.Either<Failure, JsonValue> => {
  const json = parseText(text)
  if (E.isLeft(json)) return E.left(usage(`${flag}: ${json.left.message}`))
  if (!(json.right instanceof Map)) return E.left(usage(`${flag} must be a JSON object`))
  for (const [name, value] of json.right)
    if (svcMembers.has(name) && !(value === null && removableMembers.has(name)))
      return E.left(usage(`${flag} must not set "${name}"`))
  return json
}
