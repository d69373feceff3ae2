import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseText } from '../../lib/codec/json/parse'
import { decodeAndCheckRequest } from '../../lib/codec/request-faults'
import { decodeModelList, decodeResponse } from '../../lib/codec/response'
import type { RecordedRequest, RecordedResponse } from '../../lib/replay/decode-scenario'
import { readExchanges } from '../../lib/replay/scenarios'
import { engineFailed } from '../../lib/service/contract/problem'
import { routes } from '../../lib/service/http/app'
import document from '../../lib/service/svc-openapi.json'
import { readProjectScenarios } from '../golden/project-scenarios'
import { closeAfterEach } from '../support/servers'
import { createStubEngine, exampleRequest, post, startService } from './run-service'

const test = suite('service: the OpenAPI description')
closeAfterEach(test)

const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false })
// Members of an OpenAPI document that JSON Schema does not have.
ajv.addVocabulary([
  ...['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components', 'example'],
  'discriminator',
])
// Formats of OpenAPI, which tell generators the size of a number.
for (const name of ['double', 'int64']) ajv.addFormat(name, true)
ajv.addSchema(document, 'openapi')

const compileSchema = (name: keyof typeof document.components.schemas): ValidateFunction =>
  ajv.compile({ $ref: `openapi#/components/schemas/${name}` })

const decisionsRequestSchema = compileSchema('DecisionsRequest')
const decisionsResponseSchema = compileSchema('DecisionsResponse')
const decisionsFailureSchema = compileSchema('DecisionsFailure')
const requestSchema = compileSchema('AskRequest')
const responseSchema = compileSchema('AskResponse')
const modelsSchema = compileSchema('ModelList')
/** The failures on routes other than /v1/decisions: those of this service, and those that the engine `upstream` passes on. */
const failureSchema = compileSchema('Failure')

/** Parses JSON. Returns `undefined` for any other text. */
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

/** Lists all objects in a JSON value. */
const listObjects = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (typeof value !== 'object' || value === null) return []
  const children = Object.values(value).flatMap(listObjects)
  return Array.isArray(value) ? children : [value as Record<string, unknown>, ...children]
}

test('uses only what generators of clients can write', () => {
  const { schemas, requestBodies } = document.components
  // openapi-python-client has a class `Response` of its own, and TypeScript has types of the other names.
  for (const name of ['Response', 'Request', 'Error']) assert.not.ok(name in schemas, name)
  const objects = listObjects(document)
  for (const { oneOf, discriminator } of objects) {
    if (oneOf === undefined) continue
    const { mapping = {} } = (discriminator ?? {}) as { readonly mapping?: object }
    const branches = Object.values(mapping).map((path) => ({ $ref: path }))
    assert.equal(oneOf, branches)
    // Go tries every branch, so the type of each must be an enumeration, which refuses other values.
    for (const [value, path] of Object.entries<string>({ ...mapping })) {
      const branch = schemas[path.split('/').at(-1) as 'NoulAnswer']
      const typeName = branch.properties.type.$ref.split('/').at(-1) as 'NoulType'
      assert.equal(schemas[typeName].enum, [value])
    }
  }
  for (const { type, items } of objects)
    if (type === 'array') assert.ok(items !== undefined, 'an array has items')
  // Java cannot name a member `true` or `false`.
  for (const { properties } of objects)
    for (const name of ['true', 'false']) assert.not.ok(name in ((properties ?? {}) as object))
  assert.equal(Object.keys(requestBodies.Ask.content), ['application/json'])
})

test('the service sends its description without a key', async () => {
  const service = await startService(createStubEngine(), { keys: ['k'] })
  const response = await fetch(`${service.url}/openapi.json`)
  assert.is(response.headers.get('content-type'), 'application/json')
  assert.equal(await response.json(), document)
})

/** The types of questions and answers that the schemas describe. A `noul` is a yes/no question. */
const describedTypes: ReadonlyArray<unknown> = ['noul', 'choice', 'score', 'refusal']

/**
 * Leaves out the questions or answers of types that only a service behind the engine `upstream` knows. The schemas do not describe them,
 * because generated clients cannot read a union that any object fits.
 */
const withoutOtherTypes = (json: unknown, member: 'questions' | 'answers'): unknown => {
  const entries = (json as Readonly<Record<string, unknown>> | null | undefined)?.[member]
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) return json
  const described = Object.entries(entries).filter(([, entry]) => {
    const type: unknown = entry?.type
    return typeof type !== 'string' || type === '' || describedTypes.includes(type)
  })
  return { ...(json as object), [member]: Object.fromEntries(described) }
}

interface FixtureExchange {
  /** The name of the scenario that has recorded the exchange. */
  readonly name: string
  readonly request: RecordedRequest
  readonly response: RecordedResponse
}

const readFixtureExchanges = async (): Promise<ReadonlyArray<FixtureExchange>> => {
  const exchanges: FixtureExchange[] = []
  for (const scenario of readProjectScenarios())
    for (const { request, response } of await readExchanges(scenario))
      exchanges.push({ name: scenario.name, request, response })
  return exchanges
}

const exchanges = await readFixtureExchanges()

test('its schemas accept every request in the fixtures', () => {
  // The service has no routes for Gemini's dialect, whose paths contain `/v1beta/`, and for chat completions.
  const postExchanges = exchanges.filter(
    ({ request }) =>
      request.method === 'POST' && !/\/v1beta\/|\/chat\/completions$/.test(request.path),
  )
  // The fixtures have far more. A mistake in the filter would find none.
  assert.ok(postExchanges.length > 300)
  for (const { name, request } of postExchanges) {
    const text = Buffer.from(request.body).toString()
    // `svc doctor` sends an empty document to find out if a service has the route.
    if (text === '{}') continue
    const json = withoutOtherTypes(parseJson(text), 'questions') as { readonly questions: object }
    if (Object.keys(json.questions).length === 0) continue
    // A request to /v1/decisions has an `input` in place of the `state`.
    const schema = Object.hasOwn(json as object, 'state') ? requestSchema : decisionsRequestSchema
    assert.ok(schema(json), `${name}: ${ajv.errorsText(schema.errors)}`)
  }
})

/** Returns true for a response that is valid HTTP, complete and not compressed. */
const hasPlainBody = ({ raw, fault, body, decodedBody }: RecordedResponse): boolean =>
  // Without compression, both bodies are the same object.
  raw === undefined && fault === undefined && body === decodedBody

/** Returns true if svc decodes the body of a successful response to a request. */
const isDecodable = ({ path }: RecordedRequest, body: Uint8Array): boolean =>
  path.endsWith('/models')
    ? E.isRight(decodeModelList(body, ''))
    : E.isRight(decodeResponse(body, ''))

test('its schemas accept a response in the fixtures if and only if svc decodes it', () => {
  let validCount = 0
  let invalidCount = 0
  for (const { name, request, response } of exchanges) {
    const { status, body } = response
    if (!hasPlainBody(response) || status < 200 || status > 299) continue
    const schema = request.path.endsWith('/models') ? modelsSchema : responseSchema
    const json = withoutOtherTypes(parseJson(Buffer.from(body).toString()), 'answers')
    const isValid = json !== undefined && schema(json)
    const isDecoded = isDecodable(request, body)
    assert.is(isValid, isDecoded, `${name}: ${ajv.errorsText(schema.errors)}`)
    if (isValid) validCount += 1
    else invalidCount += 1
  }
  // The fixtures have many responses of both kinds.
  assert.ok(validCount > 200, `${validCount}`)
  assert.ok(invalidCount > 10, `${invalidCount}`)
})

test('its schema accepts every JSON failure in the fixtures', () => {
  let checkedCount = 0
  for (const { name, response } of exchanges) {
    const { status, body } = response
    const json = parseJson(Buffer.from(body).toString())
    if (!hasPlainBody(response) || status < 400 || json === undefined) continue
    assert.ok(failureSchema(json), `${name}: ${ajv.errorsText(failureSchema.errors)}`)
    checkedCount += 1
  }
  assert.ok(checkedCount > 40, `${checkedCount}`)
})

const createLabels = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, null]))
const createLevels = (count: number) => Array.from({ length: count }, (_, i) => `l${i}`)

/** The type `noul` is a yes/no question. A choice has 1 to 255 labels, and a score has 2 to 10 levels. */
const acceptedQuestions = [
  { type: 'noul', instructions: 'text' },
  { type: 'noul', instructions: {} },
  { type: 'noul', instructions: [] },
  { type: 'noul', instructions: null },
  { type: 'noul', criteria: {} },
  { type: 'noul', criteria: null },
  { type: 'noul', criteria: { true: 'y', false: null } },
  { type: 'choice', criteria: createLabels(1) },
  { type: 'choice', criteria: createLabels(255) },
  { type: 'choice', criteria: { a: 'd', b: {}, c: [] } },
  { type: 'score', criteria: createLevels(2) },
  { type: 'score', criteria: createLevels(10) },
  { type: 'score', criteria: [{}, []] },
]

const refusedQuestions = [
  {},
  null,
  1,
  { type: '' },
  { type: 1 },
  { type: 'noul', instructions: 1 },
  { type: 'noul', instructions: true },
  { type: 'noul', criteria: [] },
  { type: 'noul', criteria: { true: 1 } },
  { type: 'noul', criteria: { maybe: 'x' } },
  { type: 'noul', more: 1 },
  { type: 'choice', criteria: createLabels(0) },
  { type: 'choice', criteria: createLabels(256) },
  { type: 'choice', criteria: null },
  { type: 'choice', criteria: [] },
  { type: 'choice', criteria: { a: 1 } },
  { type: 'choice', criteria: { a: false } },
  { type: 'choice' },
  { type: 'score', criteria: createLevels(1) },
  { type: 'score', criteria: createLevels(11) },
  { type: 'score', criteria: null },
  { type: 'score', criteria: {} },
  { type: 'score', criteria: ['a', null] },
  { type: 'score', criteria: ['a', 1] },
  { type: 'score' },
]

const formatRequest = (question: unknown): string =>
  JSON.stringify({ state: 1, questions: { q: question } })

const acceptedRequests = [
  '{"state":null,"questions":{"q":{"type":"noul"}},"model":"m","more":[1]}',
  '{"state":1,"questions":{"q":{"type":"noul"}},"model":""}',
  ...acceptedQuestions.map(formatRequest),
]

const refusedRequests = [
  '{}',
  '[]',
  'null',
  '{"state":1}',
  '{"questions":{}}',
  '{"state":1,"questions":{}}',
  '{"state":1,"questions":{"q":{"type":"noul"}},"model":1}',
  '{"state":1,"questions":{"q":{"type":"noul"}},"model":null}',
  '{"state":1,"questions":{"":{"type":"noul"}}}',
  '{"state":1,"questions":[{"type":"noul"}]}',
  ...refusedQuestions.map(formatRequest),
]

/** Returns true if the service accepts a request. Throws if the text is not JSON. */
const isAcceptedByService = (text: string): boolean => {
  const json = parseText(text)
  if (E.isLeft(json)) throw new Error(text)
  return E.isRight(decodeAndCheckRequest(json.right))
}

test('its schema and the service accept the same requests', () => {
  for (const text of acceptedRequests) {
    assert.ok(isAcceptedByService(text), text)
    assert.ok(requestSchema(parseJson(text)), `${text}: ${ajv.errorsText(requestSchema.errors)}`)
  }
})

test('its schema and the service refuse the same requests', () => {
  for (const text of refusedRequests) {
    assert.not.ok(isAcceptedByService(text), text)
    assert.not.ok(requestSchema(parseJson(text)), text)
  }
})

test('its schema accepts an answer of the service', async () => {
  const service = await startService()
  const response = await post(service.url, exampleRequest)
  assert.is(response.status, 200)
  assert.ok(responseSchema(await response.json()), ajv.errorsText(responseSchema.errors))
})

test('its schema accepts the failures of the service', async () => {
  const failingEngine = createStubEngine(async () => engineFailed('x'))
  const service = await startService(failingEngine, { keys: ['k'] })
  const responses = [
    await post(service.url, exampleRequest),
    await post(service.url, {}),
    await post(service.url, '{'),
    await post(service.url, { ...exampleRequest, model: 'none' }),
    await post(service.url, exampleRequest, { headers: { authorization: '' } }),
    await post(service.url, exampleRequest, { headers: { 'content-type': 'text/plain' } }),
    await fetch(`${service.url}/v1/questions`),
    await fetch(`${service.url}/nowhere`),
  ]
  for (const response of responses) {
    const failure = (await response.json()) as { readonly detail?: object }
    const isValid = failureSchema(failure)
    assert.ok(isValid, `${response.status}: ${ajv.errorsText(failureSchema.errors)}`)
    // The schema leaves the detail open, so its description names the members.
    const [detail = {}] = [failure.detail].flat()
    const members = response.status === 422 ? ['loc', 'msg', 'type'] : ['error_type', 'message']
    assert.equal(Object.keys(detail), members)
  }
  const statuses = new Set(responses.map(({ status }) => status))
  assert.equal([...statuses].sort(), [400, 401, 404, 405, 415, 422, 502])
})

test('its schemas accept an answer and failures of /v1/decisions', async () => {
  const service = await startService()
  const decisionsRequest = {
    model: 'svc-latest',
    input: 'x',
    questions: [{ type: 'predicate', instructions: '?' }],
  }
  for (const { body, schema } of [
    { body: decisionsRequest, schema: decisionsResponseSchema },
    { body: { ...decisionsRequest, model: 'none' }, schema: decisionsFailureSchema },
    { body: exampleRequest, schema: decisionsFailureSchema },
  ]) {
    const response = await post(service.url, body, { path: '/v1/decisions' })
    assert.ok(schema(await response.json()), ajv.errorsText(schema.errors))
  }
})

test.run()
