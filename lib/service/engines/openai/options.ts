import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { parseBaseUrl } from '../../../client/providers/base-url'
import type { JsonValue } from '../../../codec/json/json'
import { parseText } from '../../../codec/json/parse'
import { type Failure, usage } from '../../../failure/failure'
import type { Duration } from '../../../failure/text/duration'
import type { Secret } from '../../../failure/text/secret'
import type { ReadoutOptions } from '../readout/answers'

/** The settings of the `openai` engine. Each field names the flag or variable that sets it. */
export interface OpenaiOptions extends ReadoutOptions {
  /** `--engine-url`: the base address, as for OpenAI's clients. If it has no path, `/v1` is added. Required. */
  readonly url: string
  /** `--engine-model`: the model's id at the engine, and its name in responses. Required. */
  readonly model: string
  /** `SERVICE_ENGINE_API_KEY`: sent as a bearer token. Not a flag, since all users of a machine see those of a process. */
  readonly apiKey: Secret | undefined
  /** `--engine-concurrency`: the most calls that one request makes at the same time, at least 1. */
  readonly concurrency: number
  /** `--engine-timeout`: the time limit of one attempt; 0 means no limit. */
  readonly timeout: Duration
  /** `--engine-max-retries`: the most attempts after a failed first one. */
  readonly maxRetries: number
  /**
   * `--engine-body`: a JSON object whose members are added to every request body. A member that is null is left out of the
   * body, also one that svc sets itself.
   */
  readonly body: JsonValue | undefined
}

/**
 * Checks ranges that the types of the flags do not express, and trims the base address. Fails with a usage error that
 * names the flag.
 */
export const checkOpenaiOptions = (options: OpenaiOptions): E.Either<Failure, OpenaiOptions> =>
  pipe(
    requireValue(options.url, '--engine-url'),
    E.chain(() => requireValue(options.model, '--engine-model')),
    E.chain(() =>
      pipe(
        parseBaseUrl(options.url),
        E.bimap(
          (why) => usage(`invalid --engine-url ${why}`),
          (url) => ({ ...options, url }),
        ),
      ),
    ),
  )

/** Refuses a flag that is missing or empty. */
const requireValue = (value: string, flag: string): E.Either<Failure, string> =>
  value === '' ? E.left(usage(`--engine openai needs ${flag}`)) : E.right(value)

/** The members of a request body that svc sets. `--engine-body` must not set any of them. */
const ownMembers = new Set(
  'model messages max_tokens max_completion_tokens temperature logprobs top_logprobs stream n'.split(
    ' ',
  ),
)

/** An engine can be read without these members, so `--engine-body` may remove them with null. */
const dispensable = new Set('max_tokens max_completion_tokens temperature stream'.split(' '))

/** Parses `--engine-body`. Fails if it is not a JSON object, or sets a member that svc sets. */
export const parseEngineBody = (text: string): E.Either<Failure, JsonValue> =>
  pipe(
    parseText(text),
    E.mapLeft(({ message }) => usage(`--engine-body: ${message}`)),
    E.chain((json) => {
      if (!(json instanceof Map)) return E.left(usage('--engine-body must be a JSON object'))
      const taken = [...json].find(
        ([name, value]) => ownMembers.has(name) && !(dispensable.has(name) && value === null),
      )
      return taken === undefined
        ? E.right(json)
        : E.left(usage(`--engine-body must not set "${taken[0]}"`))
    }),
  )
