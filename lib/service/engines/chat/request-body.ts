import { type Draft, encode } from '../../../codec/json/draft'
import { membersIn } from '../../../codec/json/json'
import type { ChatOptions } from './options'

/** The form of requests that an endpoint accepts. */
export interface RequestForm {
  /** The member that limits the answer to one token. Newer OpenAI models refuse `max_tokens`. */
  readonly limitMember: 'max_tokens' | 'max_completion_tokens'
  /** The value of `top_logprobs`: the number of tokens to list. It limits the number of options in one call. */
  readonly listedTokens: number
}

/**
 * Creates the function that encodes the request body for a prompt that begins with `prefix` and ends with `promptEnd`. The request
 * asks for one token, its likeliest alternatives and their log-probabilities. All questions share the encoded `prefix`, so a large
 * state is in memory once.
 */
export const createBodyEncoder = (
  { model, extraMembers }: Pick<ChatOptions, 'model' | 'extraMembers'>,
  prefix: string,
  { limitMember, listedTokens }: RequestForm,
): ((promptEnd: string) => ReadonlyArray<Uint8Array>) => {
  const extras = membersIn(extraMembers)
  const defaults = [
    [limitMember, 1],
    ['temperature', 0],
    ['logprobs', true],
    ['top_logprobs', listedTokens],
    ['stream', false],
  ] as const
  const settings = [...defaults, ...extras].filter(([name]) => extras.get(name) !== null)
  const encodedSettings = encode(new Map<string, Draft>(settings))
  const start = `{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":`
  // Index 1 skips the opening brace of the settings.
  const end = `}],${encodedSettings.toString('utf8', 1)}`
  // Both parts form one JSON string, so the first loses its closing quote and the second its opening one.
  const encodedStart = Buffer.from(start + JSON.stringify(prefix).slice(0, -1))
  return (promptEnd) => [encodedStart, Buffer.from(JSON.stringify(promptEnd).slice(1) + end)]
}
