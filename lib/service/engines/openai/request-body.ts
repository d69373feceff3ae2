import { type Json, membersOf } from '../../../json/json'
import { mostLetters } from '../readout/letters'

/**
 * Builds the bodies of one request's calls. Each asks for a single token with its likeliest alternatives and
 * their log-probabilities. The prompt's beginning, `prefix` as `encodedPrefix` makes it, is shared by all bodies: a large
 * state is not copied for every question, and the engine can reuse its work on it. `further` holds the members
 * of `--engine-body`. D40, D75
 */
export const bodyMaker = (
  model: string,
  prefix: ReadonlyArray<Uint8Array>,
  further: Json | undefined,
): ((question: string) => ReadonlyArray<Uint8Array>) => {
  const start = Buffer.from(
    `{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":"`,
  )
  const settings =
    '}],"max_tokens":1,"temperature":0,"logprobs":true,' +
    `"top_logprobs":${mostLetters},"stream":false${furtherMembers(further)}}`
  return (question) => [start, ...prefix, Buffer.from(JSON.stringify(question).slice(1) + settings)]
}

const furtherMembers = (further: Json | undefined): string =>
  further === undefined || membersOf(further).length === 0
    ? ''
    : `,${further.bytes.toString('utf8', further.start + 1, further.end - 1)}`
