import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseText } from '../../lib/codec/json/parse'
import { decodeModelList } from '../../lib/codec/models'
import { decodeAndCheck } from '../../lib/codec/request-faults'
import { decodeResponse } from '../../lib/codec/response'
import type { RecordedRequest, RecordedResponse } from '../../lib/replay/scenario'
import { readExchanges } from '../../lib/replay/scenarios'
import {
  atCapacity,
  engineFailed,
  engineTooSlow,
  maxTokensExceeded,
} from '../../lib/service/contract/problem'
import { routes } from '../../lib/service/http/app'
import document from '../../lib/service/svc-openapi.json'
import { readProjectScenarios } from '../golden/project-scenarios'
import { closeAfterEach } from '../support/servers'
import { createStubEngine, exampleRequest, post, startService } from './run-service'

const test = suite('service: the OpenAPI description')
closeAfterEach(test)

const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false })
ajv.addVocabulary(['openapi', 'info', 'servers', 'security', 'paths', 'components', 'example'])
ajv.addSchema(document, 'openapi')

const compileSchema = (name: keyof typeof document.components.schemas): ValidateFunction =>
  ajv.compile({ $ref: `openapi#/components/schemas/${name}` })

const [decisionsRequest, decisionsResponse, decisionsFailure] = [
  compileSchema('DecisionsRequest'),
  compileSchema('DecisionsResponse'),
  compileSchema('DecisionsFailure'),
]

const [request, response, models, error, failure] = [
  compileSchema('Request'),
  compileSchema('Response'),
  compileSchema('Models'),
  compileSchema('Error'),
  compileSchema('Failure'),
]

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

test('is valid OpenAPI 3.1, and describes every route', async () => {
  const result = await new Validator().validate(structuredClone(document))
  assert.ok(result.valid, JSON.stringify(result.errors))
  assert.equal(Object.keys(document.paths), [...routes.keys()])
  for (const [path, methods] of Object.entries(document.paths)) {
    const [method = ''] = Object.keys(methods)
    assert.ok(routes.get(path)?.includes(method.toUpperCase()), path)
  }
})

test('the service sends it without a key', async () => {
  const service = await startService(createStubEngine(), { keys: ['k'] })
  const answer = await fetch(`${service.url}/openapi.json`)
  assert.is(answer.headers.get('content-type'), 'application/json')
  assert.equal(await answer.json(), document)
})

const exchanges = await Promise.all(
  readProjectScenarios().map(async (named) =>
    (await readExchanges(named)).map((exchange) => ({ named, ...exchange })),
  ),
).then((lists) => lists.flat())

test('its schemas accept every request in the fixtures', () => {
  let checked = 0
  for (const { named, request: asked } of exchanges) {
    if (asked.method !== 'POST') continue
    const document = parseJson(Buffer.from(asked.body).toString())
    // The service has no route for Gemini's dialect.
    if (asked.path.includes('/v1beta/')) continue
    const schema = Object.hasOwn(document as object, 'state') ? request : decisionsRequest
    assert.ok(schema(document), `${named.name}: ${ajv.errorsText(schema.errors)}`)
    checked += 1
  }
  assert.ok(checked > 300)
})

const hasWholeResponse = ({ raw, fault, body, decodedBody }: RecordedResponse): boolean =>
  raw === undefined && fault === undefined && body === decodedBody

const isDecodable = ({ path }: RecordedRequest, body: Uint8Array): boolean =>
  path.endsWith('/models')
    ? E.isRight(decodeModelList(body, ''))
    : E.isRight(decodeResponse(body, ''))

test('its schemas accept a response in the fixtures if and only if svc decodes it', () => {
  let validCount = 0
  let invalidCount = 0
  for (const { named, request: asked, response: answer } of exchanges) {
    const { status, body } = answer
    if (!hasWholeResponse(answer) || status < 200 || status > 299) continue
    const schema = asked.path.endsWith('/models') ? models : response
    const isDecoded = isDecodable(asked, body)
    const value = parseJson(Buffer.from(body).toString())
    const fits = value !== undefined && schema(value)
    assert.is(fits, isDecoded, `${named.name}: ${ajv.errorsText(schema.errors)}`)
    if (fits) validCount += 1
    else invalidCount += 1
  }
  assert.ok(validCount > 200, `${validCount}`)
  assert.ok(invalidCount > 10, `${invalidCount}`)
})

test('its schema accepts every JSON failure in the fixtures', () => {
  let checked = 0
  for (const { named, response: answer } of exchanges) {
    const { status, body } = answer
    const value = parseJson(Buffer.from(body).toString())
    if (!hasWholeResponse(answer) || status < 400 || value === undefined) continue
    assert.ok(failure(value), `${named.name}: ${ajv.errorsText(failure.errors)}`)
    checked += 1
  }
  assert.ok(checked > 40, `${checked}`)
})

test('its schema accepts a request if and only if the service accepts it', () => {
  const questions = (question: unknown) => JSON.stringify({ state: 1, questions: { q: question } })
  const labels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, null]))
  const levels = (count: number) => Array.from({ length: count }, (_, i) => `l${i}`)
  const cases = [
    '{}',
    '[]',
    'null',
    '{"state":1}',
    '{"questions":{}}',
    '{"state":1,"questions":{}}',
    '{"state":null,"questions":{"q":{"type":"noul"}},"model":"m","more":[1]}',
    '{"state":1,"questions":{"q":{"type":"noul"}},"model":1}',
    '{"state":1,"questions":{"q":{"type":"noul"}},"model":null}',
    '{"state":1,"questions":{"q":{"type":"noul"}},"model":""}',
    '{"state":1,"questions":{"":{"type":"noul"}}}',
    '{"state":1,"questions":[{"type":"noul"}]}',
    ...[{}, null, 1, { type: '' }, { type: 1 }, { type: 'new', any: 1 }].map(questions),
    ...['text', {}, [], null, 1, true].map((instructions) =>
      questions({ type: 'noul', instructions }),
    ),
    ...[{}, null, [], { true: 'y', false: null }, { true: 1 }, { maybe: 'x' }].map((criteria) =>
      questions({ type: 'noul', criteria }),
    ),
    questions({ type: 'noul', more: 1 }),
    ...[labels(0), labels(1), labels(255), labels(256), null, [], { a: 'd', b: {}, c: [] }].map(
      (criteria) => questions({ type: 'choice', criteria }),
    ),
    ...[{ a: 1 }, { a: false }].map((criteria) => questions({ type: 'choice', criteria })),
    questions({ type: 'choice' }),
    ...[
      levels(1),
      levels(2),
      levels(10),
      levels(11),
      null,
      {},
      [{}, []],
      ['a', null],
      ['a', 1],
    ].map((criteria) => questions({ type: 'score', criteria })),
    questions({ type: 'score' }),
  ]
  let acceptedCount = 0
  for (const text of cases) {
    const json = parseText(text)
    if (E.isLeft(json)) throw new Error(text)
    const isAccepted = E.isRight(decodeAndCheck(json.right))
    assert.is(request(parseJson(text)), isAccepted, `${text}: ${ajv.errorsText(request.errors)}`)
    if (isAccepted) acceptedCount += 1
  }
  assert.ok(acceptedCount > 15 && acceptedCount < cases.length - 15)
})

test('its schemas accept the responses of the service', async () => {
  const failures = [engineFailed('x'), engineTooSlow('x'), maxTokensExceeded('x'), atCapacity('x')]
  const service = await startService(
    createStubEngine(async ({ state }) => failures[Number(String(JSON.stringify(state)))] ?? []),
    { keys: ['k'] },
  )
  const other = await startService()
  const get = (path: string, method = 'GET') => fetch(`${service.url}${path}`, { method })
  const answers = [
    await post(service.url, exampleRequest),
    await post(service.url, {}),
    await post(service.url, '{'),
    await post(service.url, { ...exampleRequest, model: 'none' }),
    await post(service.url, exampleRequest, { headers: { authorization: '' } }),
    await post(service.url, exampleRequest, { headers: { 'content-type': 'text/plain' } }),
    await get('/v1/questions'),
    await get('/nowhere'),
  ]
  for (const answer of answers) {
    const value = await answer.json()
    if (answer.status === 200) assert.ok(response(value), ajv.errorsText(response.errors))
    else assert.ok(error(value), `${answer.status}: ${ajv.errorsText(error.errors)}`)
  }
  const seen = [...new Set(answers.map(({ status }) => status))].sort()
  assert.equal(seen, [400, 401, 404, 405, 415, 422, 502])
  const decisions = {
    model: 'svc-latest',
    input: 'x',
    questions: [{ type: 'predicate', instructions: '?' }],
  }
  for (const [document, schema] of [
    [decisions, decisionsResponse],
    [{ ...decisions, model: 'none' }, decisionsFailure],
    [exampleRequest, decisionsFailure],
  ] as const) {
    const answer = await post(other.url, document, { path: '/v1/decisions' })
    assert.ok(schema(await answer.json()), ajv.errorsText(schema.errors))
  }
})

test.run()
