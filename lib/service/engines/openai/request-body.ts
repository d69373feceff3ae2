import { type Draft, encode } from '../../../codec/json/draft'
import { type JsonValue, membersIn } from '../../../codec/json/json'

/** The form of requests that an endpoint accepts. */
export interface RequestForm {
  /** The member that limits the answer to one token. Newer OpenAI models refuse `max_tokens`. */
  readonly limitMember: 'max_tokens' | 'max_completion_tokens'
  /** The value of `top_logprobs`: the number of tokens to list. It limits the number of options in one call. */
  readonly listedTokens: number
}

/**
 * Creates the function that encodes the request body for a question. The request asks for one token, its likeliest alternatives
 * and their log-probabilities. All questions share the encoded `prefix`, the beginning of the prompt, so a large state is in memory
 * once. `engineBody` is the value of `--engine-body`. Its members override svc's, and a null removes a member.
 */
export const createBodyEncoder = (
  model: string,
  prefix: string,
  { limitMember, listedTokens }: RequestForm,
  engineBody: JsonValue | undefined,
): ((question: string) => ReadonlyArray<Uint8Array>) => {
  const configured = membersIn(engineBody)
  const defaults = [
    [limitMember, 1],
    ['temperature', 0],
    ['logprobs', true],
    ['top_logprobs', listedTokens],
    ['stream', false],
  ] as const
  const settings = [...defaults, ...configured].filter(([name]) => configured.get(name) !== null)
  const encodedSettings = encode(new Map<string, Draft>(settings))
  const start = `{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":`
  // From index 1 on: without the opening brace of the settings.
  const end = `}],${encodedSettings.toString('utf8', 1)}`
  const encodedStart = Buffer.from(start + JSON.stringify(prefix).slice(0, -1))
  return (question) => [encodedStart, Buffer.from(JSON.stringify(question).slice(1) + end)]
}
