import { type Draft, encode } from '../../../codec/json/draft'
import { type JsonValue, membersIn } from '../../../codec/json/json'

/** The form of requests to an engine, which the check finds out. */
export interface RequestForm {
  /** The member that limits the answer to one token. Newer models of OpenAI refuse `max_tokens`. */
  readonly limitMember: 'max_tokens' | 'max_completion_tokens'
  /** The number of likely tokens that are requested. It limits the options that one call can distinguish. */
  readonly listed: number
}

/**
 * Creates the function that writes the bodies of one request's calls. Each asks for a single token with its likeliest
 * alternatives and their log-probabilities. `prefix`, the prompt's beginning, is encoded once and shared by all bodies:
 * a large state is not copied for every question. `further` holds the members of `--engine-body`; a member that is null
 * there is left out, even if svc would set it.
 */
export const bodyMaker = (
  model: string,
  prefix: string,
  { limitMember, listed }: RequestForm,
  further: JsonValue | undefined,
): ((question: string) => ReadonlyArray<Uint8Array>) => {
  const given = membersIn(further)
  const own = [
    [limitMember, 1],
    ['temperature', 0],
    ['logprobs', true],
    ['top_logprobs', listed],
    ['stream', false],
  ] as const
  const settings = [...own, ...given]
  const written = encode(
    new Map<string, Draft>(settings.filter(([name]) => given.get(name) !== null)),
  )
  const start = `{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":`
  // `end` begins with the members after the opening brace.
  const end = `}],${written.toString('utf8', 1)}`
  const before = Buffer.from(start + JSON.stringify(prefix).slice(0, -1))
  return (question) => [before, Buffer.from(JSON.stringify(question).slice(1) + end)]
}
