import { type Json, members } from '../../../json/json'
import { mostLetters } from '../readout/letters'

/**
 * Builds the bodies of a request's calls. They ask for a single token, its likeliest alternatives and their
 * log-probabilities. What comes before the question is encoded once and is one piece of memory in all of them: the
 * engine can keep its work on it, and a large state is not copied for each question. `further` are the members of
 * `--engine-body`. D40, D75
 */
export const bodyMaker = (
  model: string,
  prefix: string,
  further: Json | undefined,
): ((question: string) => ReadonlyArray<Uint8Array>) => {
  const opening = `{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":`
  const start = Buffer.from(opening + JSON.stringify(prefix).slice(0, -1))
  const settings =
    '}],"max_tokens":1,"temperature":0,"logprobs":true,' +
    `"top_logprobs":${mostLetters},"stream":false${furtherMembers(further)}}`
  return (question) => [start, Buffer.from(JSON.stringify(question).slice(1) + settings)]
}

const furtherMembers = (further: Json | undefined): string =>
  further === undefined || members(further).length === 0
    ? ''
    : `,${further.bytes.toString('utf8', further.start + 1, further.end - 1)}`
