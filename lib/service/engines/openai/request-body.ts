import { type Draft, encode } from '../../../codec/json/draft'
import { type JsonValue, membersIn } from '../../../codec/json/json'

/** The form of requests that an engine accepts. */
export interface RequestForm {
  /** The member that limits the answer to one token. Newer models of OpenAI refuse `max_tokens`. */
  readonly limitMember: 'max_tokens' | 'max_completion_tokens'
  /** The number of likely tokens that are requested. It limits the options that one call can distinguish. */
  readonly listedTokens: number
}

/**
 * Creates the function that encodes the body of a call with a question. The call asks for a single token with its likeliest
 * alternatives and their log-probabilities. `prefix`, the beginning of the prompt, is encoded only once, so a large state is
 * not copied for every question. `engineBody` has the members of `--engine-body`, which override svc's own. A member that is
 * null there is left out.
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
  // Without the opening brace of the settings.
  const end = `}],${encodedSettings.toString('utf8', 1)}`
  const encodedStart = Buffer.from(start + JSON.stringify(prefix).slice(0, -1))
  return (question) => [encodedStart, Buffer.from(JSON.stringify(question).slice(1) + end)]
}
