import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { documents, names } from '../codec/json/documents'
import { run } from '../main/run'
import * as fc from '../support/fast-check'
import { bodyOf, httpServer } from '../support/servers'
import { mutate } from './mutations'
import { checkRun, fuzz } from './rules'

const test = suite('fuzz: request documents')

const json = documents.map(({ text }) => text)
const object = (members: ReadonlyArray<readonly [string, string]>): string =>
  `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`

const content = fc.oneof(fc.constantFrom('"Is it?"', '{"a":[1.0]}', '[]', 'null'), json)
const labels = fc.array(fc.tuple(names, content), { maxLength: 4 }).map(object)
const levels = fc.array(content, { maxLength: 12 }).map((items) => `[${items.join(',')}]`)
const type = fc.constantFrom('"noul"', '"choice"', '"score"', '"rank"', '"\\u006eoul"', '""', '1')
const field = fc.oneof(
  fc.tuple(fc.constant('"type"'), type),
  fc.tuple(fc.constant('"instructions"'), content),
  fc.tuple(fc.constant('"criteria"'), fc.oneof(labels, levels, content)),
  fc.tuple(names, json),
)
/** Often good: a type comes first, its fields after it. */
const question = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('{"type":"noul"}', '{"type":"rank","x":1e400}') },
  { weight: 3, arbitrary: labels.map((of) => `{"type":"choice","criteria":${of}}`) },
  { weight: 3, arbitrary: levels.map((of) => `{"type":"score","criteria":${of}}`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(type, fc.array(field, { maxLength: 3 }))
      .map(([kind, rest]) => object([['"type"', kind], ...rest])),
  },
  { weight: 1, arbitrary: json },
)
const questions = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.tuple(names, question), { maxLength: 3 }).map(object) },
  { weight: 1, arbitrary: json },
)
const request = fc
  .tuple(json, questions, fc.array(fc.tuple(names, json), { maxLength: 2 }), fc.nat(20))
  .map(([state, asked, extra, odd]) => {
    const model = odd === 3 ? [['"model"', state] as const] : []
    const all = [['"state"', state], ['"questions"', asked], ...model, ...extra] as const
    return object(all.filter((_, index) => index !== odd))
  })

const bodies: Buffer[] = []
const service = await httpServer(async (incoming, response) => {
  bodies.push(await bodyOf(incoming))
  response.end('{"model":"m","answers":{}}')
})
test.after(() => service.close())
const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }

const stateOf = (document: string): string => JSON.stringify(JSON.parse(document).state)

const argv = fc.constantFrom(['ask'], ['ask', '--dry-run'], ['ask', '-f', '-', '--pretty'])

test('documents with any shape in any place', async () => {
  await fuzz(fc.tuple(argv, request), 350, async ([line, document]) => {
    bodies.length = 0
    const ended = await run({ argv: line, env, stdin: document })
    checkRun(ended)
    const [sent] = bodies
    if (sent === undefined) return
    // The received body is JSON and contains the given state.
    assert.is(stateOf(String(sent)), stateOf(document))
    assert.is(ended.code, 0)
  })
})

test('documents with bytes gone, doubled and changed', async () => {
  const good =
    '{"state":"é😀\\u0000","questions":{"q":{"type":"choice","criteria":{"a":null}}},"x":-1.5e3}'
  const bytes = fc.oneof(
    mutate(fc.constant(good)),
    mutate(request),
    fc.uint8Array({ maxLength: 40 }).map((some) => Buffer.from(some)),
  )
  await fuzz(bytes, 350, async (document) => {
    checkRun(await run({ argv: ['ask'], env, stdin: document }))
    checkRun(await run({ argv: ['ask', '--state', '-', '--noul', 'q=x'], env, stdin: document }))
  })
})

test.run()
