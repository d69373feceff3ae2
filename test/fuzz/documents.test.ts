import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jsonDocument, nameLiteral } from '../codec/json/json-documents'
import { runMain } from '../main/run-main'
import * as fc from '../support/fast-check'
import { readRequestBody, startHttpServer } from '../support/servers'
import { assertDocumentRun } from './check-run'
import { damage, fuzz } from './fuzz'

const test = suite('fuzz: request documents')

/** A member of a JSON object. The name is a string literal, the value is JSON text. */
type Member = readonly [name: string, value: string]

const formatObject = (members: ReadonlyArray<Member>): string =>
  `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`

// All generators below make JSON text. The weights of `question` and `questions` keep most requests valid.

const anyJson = jsonDocument.map(({ printed }) => printed)
const content = fc.oneof(fc.constantFrom('"Is it?"', '{"a":[1.0]}', '[]', 'null'), anyJson)
const choiceLabels = fc
  .array(fc.tuple(nameLiteral, content), { maxLength: 4 })
  .map((labels) => formatObject(labels))
const scoreLevels = fc
  .array(content, { maxLength: 12 })
  .map((contents) => `[${contents.join(',')}]`)
/** A yes/no question has the type `noul`. `\u006eoul` spells the same type with an escape. svc does not know the type `rank`. */
const questionType = fc.constantFrom(
  '"noul"',
  '"choice"',
  '"score"',
  '"rank"',
  '"\\u006eoul"',
  '""',
  '1',
)
const questionMember = fc.oneof(
  fc.tuple(fc.constant('"type"'), questionType),
  fc.tuple(fc.constant('"instructions"'), content),
  fc.tuple(fc.constant('"criteria"'), fc.oneof(choiceLabels, scoreLevels, content)),
  fc.tuple(nameLiteral, anyJson),
)
const question = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('{"type":"noul"}', '{"type":"rank","x":1e400}') },
  { weight: 3, arbitrary: choiceLabels.map((labels) => `{"type":"choice","criteria":${labels}}`) },
  { weight: 3, arbitrary: scoreLevels.map((levels) => `{"type":"score","criteria":${levels}}`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(questionType, fc.array(questionMember, { maxLength: 3 }))
      .map(([type, members]) => formatObject([['"type"', type], ...members])),
  },
  { weight: 1, arbitrary: anyJson },
)
const questions = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .array(fc.tuple(nameLiteral, question), { maxLength: 3 })
      .map((members) => formatObject(members)),
  },
  { weight: 1, arbitrary: anyJson },
)

/**
 * Generates requests. One in 21 lacks `state`, and one in 21 lacks `questions`. One in 21 has a `model`, which is the same JSON as its
 * state and so in most cases no valid name.
 */
const request = fc
  .tuple(anyJson, questions, fc.array(fc.tuple(nameLiteral, anyJson), { maxLength: 2 }), fc.nat(20))
  .map(([state, questionsText, extraMembers, variant]) => {
    const members: Member[] = []
    if (variant !== 0) members.push(['"state"', state])
    if (variant !== 1) members.push(['"questions"', questionsText])
    if (variant === 2) members.push(['"model"', state])
    return formatObject([...members, ...extraMembers])
  })

/** The bodies that the service received from the current run. */
const requestBodies: Buffer[] = []
const service = await startHttpServer(async (incoming, response) => {
  requestBodies.push(await readRequestBody(incoming))
  response.end('{"model":"m","answers":{}}')
})
test.after(() => service.close())
const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }

const readState = (document: string): string => JSON.stringify(JSON.parse(document).state)

test('sends the state of a request unchanged, or refuses the request', async () => {
  const commandLine = fc.constantFrom(['ask'], ['ask', '--dry-run'], ['ask', '-f', '-', '--pretty'])
  await fuzz(fc.tuple(commandLine, request), { inputCount: 350 }, async ([argv, document]) => {
    requestBodies.length = 0
    const result = await runMain({ argv, env, stdin: document })
    assertDocumentRun(result)
    const [body] = requestBodies
    // A dry run and a refused request send nothing.
    if (body === undefined) return
    assert.is(readState(body.toString()), readState(document))
    assert.is(result.code, 0)
  })
})

test('no damaged request or state crashes svc', async () => {
  const valid =
    '{"state":"é😀\\u0000","questions":{"q":{"type":"choice","criteria":{"a":null}}},"x":-1.5e3}'
  const bytes = fc.oneof(
    damage(fc.constant(valid)),
    damage(request),
    fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
  )
  await fuzz(bytes, { inputCount: 350 }, async (stdin) => {
    assertDocumentRun(await runMain({ argv: ['ask'], env, stdin }))
    assertDocumentRun(await runMain({ argv: ['ask', '--state', '-', '--noul', 'q=x'], env, stdin }))
  })
})

test.run()
