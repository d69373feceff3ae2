import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { parseBaseUrl } from '../../../client/base-url'
import { type Failure, usage } from '../../../failure/failure'
import { type Json, kindOf, members } from '../../../json/json'
import { parseText } from '../../../json/parse'
import type { Duration } from '../../../runtime/duration'
import type { Secret } from '../../../runtime/secret'
import { checkTemperature, type ReadoutOptions } from '../readout/answers'

/** How the `openai` engine reaches and reads its model. Each field names the flag that sets it. D40 */
export interface OpenaiOptions extends ReadoutOptions {
  /**
   * `--engine-url`: the base address as OpenAI clients take it, `http://127.0.0.1:8000/v1`. Without a
   * path `/v1` is added. Required.
   */
  readonly url: string
  /** `--engine-model`: the model's id at the engine, and its name in answers. Required. */
  readonly model: string
  /**
   * `SERVICE_ENGINE_API_KEY`: sent as a bearer token. There is no flag for it, since anyone can see a
   * process's flags.
   */
  readonly apiKey: Secret | undefined
  /** `--engine-concurrency`: the most calls that one request makes at the same time, at least 1. */
  readonly concurrency: number
  /** `--engine-timeout`: the time for one attempt; 0 for no limit. */
  readonly timeout: Duration
  /** `--engine-max-retries`: how many attempts follow a first one that fails. D8, D9 */
  readonly maxRetries: number
  /**
   * `--engine-body`: further members for every request body, a JSON object, for what an engine needs
   * beyond the standard: `{"chat_template_kwargs":{"enable_thinking":false}}` (vLLM, SGLang, llama.cpp),
   * `{"reasoning_effort":"none"}` (Ollama).
   */
  readonly body: Json | undefined
}

/** Checks what the flags' types cannot; the messages name the flag. The base address comes back trimmed. */
export const checkOpenaiOptions = (options: OpenaiOptions): E.Either<Failure, OpenaiOptions> =>
  pipe(
    given(options.url, '--engine-url'),
    E.chain(() => given(options.model, '--engine-model')),
    E.chain(() => checkTemperature(options.temperature)),
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

const given = (value: string, flag: string): E.Either<Failure, string> =>
  value === '' ? E.left(usage(`--engine openai needs ${flag}`)) : E.right(value)

/** The members of a request body that `--engine-body` must not set: the engine sets them itself. */
const reserved = new Set(
  'model messages max_tokens temperature logprobs top_logprobs stream n'.split(' '),
)

/** Reads `--engine-body`. */
export const parseEngineBody = (text: string): E.Either<Failure, Json> =>
  pipe(
    parseText(text),
    E.mapLeft(({ message }) => usage(`--engine-body: ${message}`)),
    E.chain((json) => {
      if (kindOf(json) !== 'object') return E.left(usage('--engine-body must be a JSON object'))
      const taken = members(json).find(({ key }) => reserved.has(key))
      return taken === undefined
        ? E.right(json)
        : E.left(usage(`--engine-body must not set "${taken.key}"`))
    }),
  )
