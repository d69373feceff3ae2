import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RequestQuestion } from '../../../../lib/codec/question'
import { encodeModel } from '../../../../lib/measure/train/model-file'
import type { OwnModel } from '../../../../lib/measure/train/own-model'
import { createTermVocabulary } from '../../../../lib/measure/train/terms'
import { digestQuestions } from '../../../../lib/runs/record/record'
import { nodeFiles } from '../../../../lib/runtime/node/files'
import { noSpan, noTracer } from '../../../../lib/runtime/tracer'
import type { EngineQuestion } from '../../../../lib/service/contract/engine'
import { loadVectorTable, tableName } from '../../../../lib/service/engines/embedded/vector-table'
import { checkTrained } from '../../../../lib/service/engines/own/find-questions'
import { openOwn } from '../../../../lib/service/engines/own/open-own'
import { readState } from '../../../../lib/service/engines/own/read-state'
import { createMemoryFiles } from '../../../support/files'
import { createFakeRuntime } from '../../../support/runtime'
import { createServeNames, defaultSettings } from '../engine-settings'

const test = suite('engine own')

const urgent: EngineQuestion = { type: 'noul', instructions: 'Is it urgent?' }
const topic: EngineQuestion = {
  type: 'choice',
  instructions: 'What is it about?',
  criteria: [
    ['login', null],
    ['billing', null],
  ],
}

const digestOf = (...questions: ReadonlyArray<readonly [string, RequestQuestion]>): string =>
  digestQuestions(questions)

const dimensions = 192

/** A model that knows a single term, `refund`, which decides for billing. */
const createModel = (sha256: string | undefined): OwnModel => ({
  dimensions,
  vocabulary: createTermVocabulary(['refund'], Float32Array.of(1)),
  questions: new Map([
    [
      'topic',
      {
        type: 'choice',
        questionsSha256: digestOf(['topic', topic], ['urgent', urgent]),
        sha256,
        // The labels are not in the order of the question.
        labels: ['billing', 'login'],
        classes: [0, 1],
        rows: 30,
        from: 'labels',
        strength: 1,
        temperature: 2,
        weights: Float32Array.from({ length: dimensions + 2 }, (_, i) =>
          i === dimensions ? -4 : 0,
        ),
      },
    ],
  ]),
})

const open = (content: string | Buffer | undefined, path: string | undefined = 'm.json') => {
  const { files } = createMemoryFiles(content === undefined ? {} : { 'm.json': content.toString() })
  const { runtime } = createFakeRuntime({ files })
  return openOwn(
    { ...defaultSettings, model: path },
    {
      runtime,
      tracer: noTracer,
      userAgent: 'svc/test',
      names: createServeNames('own'),
      purpose: 'service',
    },
  )()
}

const file = encodeModel(createModel(digestOf(['topic', topic])), tableName)

const answer = async (state: string, content: Buffer = file) => {
  const engine = await open(content)
  if (E.isLeft(engine)) throw new Error(JSON.stringify(engine.left))
  const compute =
    <A>(work: () => A) =>
    async () =>
      E.right(work())
  const context = { signal: new AbortController().signal, span: noSpan, compute }
  return engine.right.answer({ state, questions: [['topic', topic]] }, context)()
}

test('answers with the softmax of the scores, in the order of the question', async () => {
  const answered = await answer('A refund, please')
  if (E.isLeft(answered)) throw new Error(answered.left.message)
  const [distribution] = answered.right.answers
  assert.is(distribution?.type, 'choice')
  // The score of login is -4, and the temperature 2.
  const login = 1 / (1 + Math.exp(2))
  const { probabilities } = distribution as { probabilities: ReadonlyArray<number> }
  assert.ok(Math.abs((probabilities[0] ?? 0) - login) < 1e-6)
  assert.ok(Math.abs((probabilities[1] ?? 0) - (1 - login)) < 1e-6)
})

test('the name of the model is that of the file', async () => {
  const engine = await open(file)
  assert.ok(E.isRight(engine))
  assert.match(engine.right.model.name, /^own-[0-9a-f]{12}$/)
  const other = await open(encodeModel(createModel(undefined), tableName))
  assert.ok(E.isRight(other))
  assert.not.equal(other.right.model.name, engine.right.model.name)
})

const openFaults: ReadonlyArray<{
  readonly title: string
  readonly content?: string
  readonly path?: string
  readonly message: RegExp
}> = [
  { title: 'no path', path: '', message: /--engine own needs --engine-model: a model file/ },
  { title: 'a missing file', message: /read model: m.json: no such file/ },
  { title: 'no JSON', content: 'x', message: /read model: m.json: invalid JSON/ },
  {
    title: 'another table',
    content: encodeModel(createModel(undefined), 'other').toString(),
    message: /read model: m.json: table: must be svc-embedded-1/,
  },
]

for (const { title, content, path, message } of openFaults)
  test(`does not open ${title}`, async () => {
    const engine = await open(content, path)
    assert.ok(E.isLeft(engine) && engine.left._tag === 'Usage')
    assert.match(engine.left.message, message)
  })

const describe = (
  model: OwnModel,
  questions: ReadonlyArray<readonly [string, EngineQuestion]>,
): string | undefined => {
  const checked = checkTrained(model, questions)
  return E.isLeft(checked) ? `${checked.left.status} ${checked.left.message}` : undefined
}

test('a question with a digest can be asked alone, and without one only with the others', () => {
  const alone = createModel(digestOf(['topic', topic]))
  const together = createModel(undefined)
  assert.is(describe(alone, [['topic', topic]]), undefined)
  assert.match(
    describe(together, [['topic', topic]]) ?? '',
    /^422 the model was trained for another question of this name, or with other questions beside it$/,
  )
})

test('names the questions that it was not trained for', () => {
  const model = createModel(digestOf(['topic', topic]))
  const checked = checkTrained(model, [
    ['topic', { ...topic, instructions: 'Another?' }],
    ['urgent', urgent],
  ])
  assert.ok(E.isLeft(checked))
  assert.equal(
    checked.left.faults?.map(({ loc }) => loc),
    [
      ['body', 'questions', 'topic'],
      ['body', 'questions', 'urgent'],
    ],
  )
})

test('reads a long state up to 32,768 words', async () => {
  const table = await loadVectorTable(nodeFiles)
  const long = readState('word '.repeat(40_000), table)
  assert.is(long.words.length, 32_768)
  assert.equal(readState('word '.repeat(32_768), table).vector, long.vector)
})

test.run()
