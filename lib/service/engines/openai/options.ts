import * as E from 'fp-ts/Either'
import { parseBaseUrl } from '../../../client/providers/endpoints'
import type { JsonValue } from '../../../codec/json/json'
import { parseText } from '../../../codec/json/parse'
import { type Failure, usage } from '../../../failure/failure'
import type { Duration } from '../../../text/duration'
import type { Secret } from '../../../text/secret'
import type { ReadoutOptions } from '../readout/answers'

/** The settings of the `openai` engine. Each field names the flag or variable that sets it. */
export interface OpenaiOptions extends ReadoutOptions {
  /** `--engine-url`: the base address, as for OpenAI's clients. svc adds `/v1` to an address without a path. Required. */
  readonly url: string
  /** `--engine-model`: the model's id at the endpoint, and its name in responses. Required. */
  readonly model: string
  /** `SERVICE_ENGINE_API_KEY`: sent as a bearer token. It is not a flag, because all users of a machine can see the flags of a process. */
  readonly apiKey: Secret | undefined
  /** `--engine-concurrency`: the maximum number of concurrent calls of one request, at least 1. */
  readonly concurrency: number
  /** `--engine-timeout`: the time limit of one attempt; 0 means no limit. */
  readonly timeout: Duration
  /** `--engine-max-retries`: the maximum number of retries after the first attempt. */
  readonly maxRetries: number
  /** `--engine-body`: a JSON object with more members for every request body. A null removes a member that svc sets. */
  readonly extraMembers: JsonValue | undefined
}

/**
 * Checks that address and model are set, and normalizes the address. `''` means that the flag is missing. Fails with a usage error
 * that names the flag.
 */
export const checkOpenaiOptions = (options: OpenaiOptions): E.Either<Failure, OpenaiOptions> => {
  if (options.url === '') return E.left(missingFlag('--engine-url'))
  if (options.model === '') return E.left(missingFlag('--engine-model'))
  const url = parseBaseUrl(options.url)
  return E.isLeft(url)
    ? E.left(usage(`invalid --engine-url ${url.left}`))
    : E.right({ ...options, url: url.right })
}

const missingFlag = (flag: string): Failure => usage(`--engine openai needs ${flag}`)

/** The members of a request body that svc sets. `--engine-body` must not give them a value. */
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

/** The members that `--engine-body` may remove with null. svc can read the answer without them. */
const removableMembers = new Set(['max_tokens', 'max_completion_tokens', 'temperature', 'stream'])

/**
 * Parses `--engine-body`. Fails if it is not a JSON object, if it gives a value to one of `svcMembers`, or if it removes one that is not
 * in `removableMembers`.
 */
export const parseEngineBody = (text: string): E.Either<Failure, JsonValue> => {
  const json = parseText(text)
  if (E.isLeft(json)) return E.left(usage(`--engine-body: ${json.left.message}`))
  if (!(json.right instanceof Map)) return E.left(usage('--engine-body must be a JSON object'))
  for (const [name, value] of json.right)
    if (svcMembers.has(name) && !(value === null && removableMembers.has(name)))
      return E.left(usage(`--engine-body must not set "${name}"`))
  return json
}
