/** Checks that svc redacts, cuts and escapes the texts of a hostile service, wherever it shows them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FetchResponse } from '../../../lib/runtime/runtime'
import { runMain } from '../../main/run-main'
import { findCiCommands, findControls } from '../../text/find-harm'

const test = suite('dialects: hostile texts')

const apiKey = 'Sk-"s/é1'

/** The API key, control characters, commands of CI systems, and more text than a message may have. */
const harmfulText = `${apiKey} \u001b[31m\n::error::a\r##[error]b \u202e\u200b ${'x'.repeat(20_000)}`

/** A response that has the harmful text in one place. The title names the place. */
interface TextResponse {
  readonly title: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A service whose texts svc shows. */
interface TestService {
  /** The value of `--provider`; absent for a call of `svc serve`. */
  readonly provider?: string
  /** The response header with the request id; `''` if there is none. */
  readonly requestIdHeader: string
  /** A valid response to the question of `commandLines`. */
  readonly validBody: object
}

/** An answer to a yes/no question, for which svc's word is `noul`. */
const noulAnswers = { answers: { q: { type: 'noul', noul: 1 } } }

const services: ReadonlyArray<TestService> = [
  { requestIdHeader: 'x-service-request-id', validBody: { model: 'm', ...noulAnswers } },
  { provider: 'typesafe', requestIdHeader: 'x-typesafe-request-id', validBody: noulAnswers },
  {
    provider: 'openai',
    requestIdHeader: 'x-request-id',
    validBody: { answers: [{ type: 'predicate', name: 'q', probability: 1 }] },
  },
  { provider: 'gemini', requestIdHeader: '', validBody: noulAnswers },
  { provider: 'litellm', requestIdHeader: 'x-litellm-call-id', validBody: noulAnswers },
]

/**
 * Lists responses that together have the harmful text in every place from which svc shows a text. Answers and model lists are left
 * out, because svc prints them unchanged.
 */
const listResponses = ({
  requestIdHeader,
  validBody,
}: TestService): ReadonlyArray<TextResponse> => {
  // `data` makes the body a valid model list too.
  const validForAll = { ...validBody, data: [] }
  const responses: TextResponse[] = [
    { title: 'model', status: 200, body: { ...validForAll, model: harmfulText } },
    { title: 'request id', status: 200, body: { ...validForAll, request_id: harmfulText } },
    {
      title: 'request id header',
      status: 200,
      headers: { [requestIdHeader]: harmfulText },
      body: validForAll,
    },
    {
      title: 'request ids of an error',
      status: 400,
      headers: { [requestIdHeader]: harmfulText },
      body: { request_id: harmfulText },
    },
    { title: 'plain text', status: 400, body: harmfulText },
    {
      title: 'HTML',
      status: 502,
      body: `<html><title>${harmfulText}</title><p>${harmfulText}</p></html>`,
    },
    {
      title: 'redirect target',
      status: 302,
      headers: { location: `//h/${harmfulText}` },
      body: '',
    },
    {
      title: 'content encoding',
      status: 200,
      headers: { 'content-encoding': harmfulText },
      body: validForAll,
    },
    {
      title: 'id of an answer',
      status: 200,
      body: { answers: { q: {}, [harmfulText]: { type: 'noul' } } },
    },
    {
      title: 'name of an answer',
      status: 200,
      body: { answers: [{ type: 'predicate', name: harmfulText }] },
    },
    {
      title: 'type of an answer',
      status: 200,
      body: { answers: [{ type: harmfulText, name: 'q' }] },
    },
    {
      title: 'block reason',
      status: 200,
      body: { prompt_feedback: { block_reason: harmfulText } },
    },
    {
      title: 'block message',
      status: 400,
      body: { prompt_feedback: { block_reason_message: harmfulText } },
    },
    { title: 'detail', status: 400, body: { detail: harmfulText } },
    {
      title: 'message of a detail',
      status: 400,
      body: { detail: { error_type: harmfulText, message: harmfulText } },
    },
    {
      title: 'list of details',
      status: 422,
      body: { detail: [{ loc: [harmfulText], msg: harmfulText }] },
    },
  ]
  for (const status of [200, 401, 429, 500])
    for (const name of ['message', 'type', 'code', 'param', 'status'])
      responses.push({
        title: `${name} of an error with status ${status}`,
        status,
        body: { error: { message: 'm', [name]: harmfulText } },
      })
  return responses
}

/** Creates the network of a service that always sends one response. */
const createFetchOf =
  ({ status, headers = {}, body }: TextResponse) =>
  async (): Promise<FetchResponse> => ({
    status,
    header: (name) => headers[name] ?? null,
    body: (async function* () {
      yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    })(),
  })

const commandLines = [
  ['ask', '--state=s', '--noul=q=Is it?', '--log-level=debug'],
  ['models', '--log-level=debug'],
  ['doctor', '--table'],
]

/** Asserts that an output has no form of the key, no control characters, no CI commands, and not the whole `harmfulText`. */
const assertHarmless = (output: string): void => {
  assert.not.match(output.toLowerCase(), apiKey.toLowerCase())
  assert.not.match(output, JSON.stringify(apiKey).slice(1, -1))
  assert.equal(findCiCommands(output), [])
  assert.equal(findControls(output), [])
  assert.ok(output.length < 16 << 10, `${output.length} characters`)
}

for (const service of services)
  for (const response of listResponses(service))
    test(`${service.provider ?? 'svc serve'}: ${response.title} is redacted, cut and escaped`, async () => {
      const { provider } = service
      const providerFlags = provider ? [`--provider=${provider}`, `--api-key=${apiKey}`] : []
      for (const commandLine of commandLines) {
        const { stdout, stderr } = await runMain({
          argv: [...commandLine, ...providerFlags, '--base-url=http://h.test', '--max-retries=1'],
          env: { SERVICE_API_KEY: apiKey },
          fetch: createFetchOf(response),
        })
        assertHarmless(stdout)
        assertHarmless(stderr)
      }
    })

test.run()
