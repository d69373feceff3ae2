import * as assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import { type Draft, toJson } from '../../../lib/codec/json/draft'
import { parseText } from '../../../lib/codec/json/parse'
import { noSpan } from '../../../lib/runtime/tracer'
import type { Distribution, EngineQuestion } from '../../../lib/service/contract/engine'
import { answerByWords } from '../../../lib/service/engines/lexical/answer-by-words'
import { createLexicalEngine, readTexts } from '../../../lib/service/engines/lexical/engine'
import * as fc from '../../support/fast-check'
import { root } from '../../support/folders'

const test = suite('lexical engine')

/** The engine's answer to one question, as probabilities; of no and yes for a noul. */
const readProbabilities = (state: Draft, question: EngineQuestion): ReadonlyArray<number> => {
  const read = readTexts({ state: toJson(state), questions: [['q', question]] })
  assert.ok(E.isRight(read))
  const [texts = assert.fail()] = read.right.questions
  return probabilitiesOf(answerByWords(texts, read.right.state))
}
const probabilitiesOf = (distribution: Distribution): ReadonlyArray<number> =>
  distribution.type === 'noul'
    ? [1 - distribution.yes, distribution.yes]
    : distribution.probabilities

const yes = (state: Draft, instructions: string, criteria?: { true?: string; false?: string }) =>
  readProbabilities(state, {
    type: 'noul',
    instructions: toJson(instructions),
    ...(criteria === undefined
      ? {}
      : {
          criteria: Object.fromEntries(
            Object.entries(criteria).map(([side, text]) => [side, toJson(text)]),
          ),
        }),
  })[1] ?? Number.NaN

const choice = (state: Draft, labels: Readonly<Record<string, string | null>>) =>
  readProbabilities(state, {
    type: 'choice',
    instructions: 'Which?',
    criteria: Object.entries(labels).map(([label, text]) => [
      label,
      text === null ? null : toJson(text),
    ]),
  })
const score = (state: Draft, levels: ReadonlyArray<Draft>) =>
  readProbabilities(state, { type: 'score', criteria: levels.map(toJson) })

test('says exactly 0.5 and uniform without evidence', () => {
  for (const [state, instructions] of [
    ['The sky is blue.', 'Was the invoice paid?'],
    ['', 'Was the invoice paid?'],
    ['The sky is blue.', 'Is it?'],
    [null, 'Was it paid?'],
    ['Where the road ends.', 'Where is it?'],
    [{ ticket: 'Hello.' }, 'Is `ticket` urgent?'],
  ] as const)
    assert.equal(yes(state, instructions), 0.5, instructions)
  assert.equal(yes('The sky is blue.', '', { true: 'paid', false: 'unpaid' }), 0.5)
  const third = 1 / 3
  assert.deepEqual(choice('The sky is blue.', { a: 'paid', b: 'unpaid', c: null }), [
    third,
    third,
    third,
  ])
  assert.deepEqual(choice('a problem', { a: 'problem red', b: 'problem blue' }), [0.5, 0.5])
  assert.deepEqual(score('The sky is blue.', ['cold', 'warm']), [0.5, 0.5])
  assert.deepEqual(choice('anything', { only: null }), [1])
})

/** States and questions to which the answer is yes (`true`) or no. */
const decided: ReadonlyArray<
  readonly [Draft, string, boolean, { true?: string; false?: string }?]
> = [
  ['We refunded the payments yesterday.', 'Was the payment refunded?', true],
  ['The invoice was not paid.', 'Was the invoice paid?', false],
  ["They didn't pay the invoice.", 'Did they pay the invoice?', false],
  ['They didn’t pay.', 'Did they pay?', false],
  ['The invoice was paid.', 'Was the invoice not paid?', false],
  ['It is not late. It was paid.', 'Was it paid?', true],
  ['It was delivered at noon.', 'Has it come?', true, { true: 'It was delivered' }],
  ['It is missing.', 'Has it come?', false, { true: 'delivered', false: 'It is missing' }],
  [{ invoice: { paid: true } }, 'Was it paid?', true],
  [['a\nrefund'], 'Is it about refunds?', true],
  ['東京に住んでいます', '東京', true],
]
for (const [state, instructions, expected, criteria] of decided)
  test(`${JSON.stringify(state)}, asked "${instructions}": ${expected}`, () => {
    assert.equal(yes(state, instructions, criteria) > 0.5, expected)
    assert.notEqual(yes(state, instructions, criteria), 0.5)
  })

test('chooses the option that shares most words with the state', () => {
  const [billing = 0, bug = 0] = choice('The invoice is wrong', {
    billing: 'A problem with an invoice',
    bug: 'A problem with the program',
  })
  assert.ok(billing > 0.55 && bug < 0.45)
  const [late = 0, damaged = 0, colour = 0] = choice('Not late, but the wrong colour.', {
    late: null,
    damaged: null,
    colour: null,
  })
  assert.ok(colour > damaged && damaged > late)
  const [person = 0, place = 0] = choice('Who wrote it?', { person: 'who', place: 'where' })
  assert.ok(person > place, 'words that frame a question count in options')
  const [far = 0, hit = 0] = score('a critical fault', ['cosmetic', 'critical'])
  assert.ok(hit > far)
})

test('reads escapes of JSON text', () => {
  const escaped = parseText('{"\\u0063af\\u00e9":"\\nok\\n\\u0070aid"}')
  assert.ok(E.isRight(escaped))
  for (const instructions of ['Was it paid?', 'Is it a café?', 'Is it ok?'])
    assert.ok(yes(escaped.right, instructions) > 0.5, instructions)
})

test('answers in order, names its model, reports no usage, and is deterministic', async () => {
  const engine = createLexicalEngine()
  const request = {
    state: toJson({ ticket: 'The invoice is wrong.' }),
    questions: [
      ['b', { type: 'noul', instructions: 'Is the invoice wrong?' }],
      ['a', { type: 'score', criteria: ['fine', 'wrong'] }],
    ] as ReadonlyArray<readonly [string, EngineQuestion]>,
  }
  const context = {
    signal: new AbortController().signal,
    span: noSpan,
    compute: TE.fromIO,
  }
  const first = await engine.answer(request, context)()
  assert.deepEqual(first, await engine.answer(request, context)())
  assert.ok(E.isRight(first))
  assert.deepEqual(
    first.right.answers.map(({ type }) => type),
    ['noul', 'score'],
  )
  assert.deepEqual(first.right.usage, { input_tokens: null, output_tokens: null })
})

test('refuses a request of more than 32,768 words with both numbers', () => {
  const most = 32_768
  const ask = (state: Draft, instructions: string) =>
    readTexts({
      state: toJson(state),
      questions: [['q', { type: 'noul', instructions: toJson(instructions) }]],
    })
  assert.ok(E.isRight(ask('word '.repeat(most - 3), 'Is it paid?')))
  for (const [state, instructions, words] of [
    ['word '.repeat(most - 2), 'Is it paid?', most + 1],
    ['Is it paid?', 'word '.repeat(most), most + 3],
    ['a'.repeat(2 << 20), '', Math.ceil((2 << 20) / 40)],
    ['東'.repeat(700_000), '', 700_000],
    [Array(100_000).fill(1), '', 100_000],
  ] as const) {
    const refused = ask(state, instructions)
    assert.ok(E.isLeft(refused))
    assert.equal(refused.left.status, 400)
    assert.equal(refused.left.type, 'max_tokens_exceeded')
    assert.equal(
      refused.left.message,
      `the state and the questions are too long for the engine: ${words} words, at most 32768`,
    )
  }
})

test('deep documents need no stack, and texts without words no memory for each character', () => {
  const depth = 700
  const deep = parseText(
    `${'[{"a":'.repeat(100)}${'['.repeat(depth)}"paid"${']'.repeat(depth)}${'}]'.repeat(100)}`,
  )
  assert.ok(E.isRight(deep))
  assert.ok(yes(deep.right, 'Was it paid?') > 0.5)
  for (const sign of ['. ', '`', "'", '\n', '"', '`.', '`_`'])
    assert.equal(
      yes(sign.repeat((2 << 20) / sign.length), `Is it paid? ${sign.repeat(1 << 20)}`),
      0.5,
    )
})

const word = fc.constantFrom('paid', 'not', 'invoice', 'late', 'very', 'Late!', '.', 'x', '東', '')
const phrase = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))

test('property: every distribution is a distribution, and the order of options does not matter', () => {
  fc.assert(
    fc.property(
      fc.oneof(phrase, fc.jsonValue()) as fc.Arbitrary<Draft>,
      phrase,
      fc.array(fc.oneof(phrase, fc.string()), { minLength: 2, maxLength: 12 }),
      (state, instructions, levels) => {
        const p = yes(state, instructions)
        assert.ok(p >= 0 && p <= 1)
        const probabilities = score(state, levels)
        assert.equal(probabilities.length, levels.length)
        assert.ok(probabilities.every((one) => one >= 0))
        assert.ok(Math.abs(probabilities.reduce((sum, one) => sum + one, 0) - 1) < 1e-9)
        const back = score(state, [...levels].reverse()).toReversed()
        for (const [i, one] of probabilities.entries())
          assert.ok(Math.abs(one - (back[i] ?? Number.NaN)) < 1e-12)
      },
    ),
    { numRuns: 300, seed: 6 },
  )
})

/** Reads the criteria of a question: the answers by their positions, and the criteria as the engine gets them. */
const readCriteria = {
  noul: (criteria: { readonly true: Draft; readonly false: Draft } | undefined) => ({
    options: [false, true] as ReadonlyArray<Draft>,
    decoded: criteria && { true: toJson(criteria.true), false: toJson(criteria.false) },
  }),
  choice: (criteria: Record<string, Draft>) => ({
    options: Object.keys(criteria) as ReadonlyArray<Draft>,
    decoded: Object.entries(criteria).map(([label, text]) => [
      label,
      text === null ? null : toJson(text),
    ]),
  }),
  score: (criteria: ReadonlyArray<Draft>) => ({
    options: criteria,
    decoded: criteria.map((level) => toJson(level)),
  }),
}

/**
 * Counts right and wrong answers to the labelled rows of a type. test/accuracy has commands that give the same
 * figures.
 */
const measureRows = (type: 'noul' | 'choice' | 'score') => {
  const folder = join(root, 'test/accuracy/datasets', type)
  const total = { rows: 0, opinions: 0, right: 0, claimed: 0 }
  for (const set of readdirSync(folder)) {
    const read = (name: string) => readFileSync(join(folder, set, name), 'utf8').trim()
    const { instructions, criteria } = JSON.parse(read('questions.json')).questions[type]
    const { options, decoded } = readCriteria[type](criteria)
    const question = {
      type,
      instructions: toJson(instructions),
      criteria: decoded,
    } as EngineQuestion
    for (const line of read('rows.jsonl').split('\n')) {
      const { text, label } = JSON.parse(line)
      const probabilities = readProbabilities(text, question)
      const claimed = Math.max(...probabilities)
      const answer = type === 'score' ? label : options.indexOf(label)
      assert.ok(answer >= 0 && answer < options.length, `${set}: ${label}`)
      total.rows += 1
      if (probabilities.filter((p) => p > claimed - 1e-9).length > 1) continue
      total.opinions += 1
      total.claimed += claimed
      if (probabilities[answer] === claimed) total.right += 1
    }
  }
  return total
}

test('is right in at least a quarter of labelled rows, with probabilities about as high as that', () => {
  const measured = (['noul', 'choice', 'score'] as const).map(measureRows)
  const sum = (key: 'rows' | 'opinions' | 'right' | 'claimed') =>
    measured.reduce((total, each) => total + each[key], 0)
  const all = { rows: sum('rows'), opinions: sum('opinions'), right: sum('right') }
  assert.equal(all.rows, 1976)
  assert.ok(all.right / all.rows >= 0.25, `right in ${all.right}`)
  for (const [{ opinions, right, claimed }, most] of [
    ...measured.map((each) => [each, 0.12] as const),
    [{ ...all, claimed: sum('claimed') }, 0.07] as const,
  ]) {
    const difference = (claimed - right) / opinions
    assert.ok(
      Math.abs(difference) <= most,
      `claims ${claimed} and is right in ${right} of ${opinions}`,
    )
  }
})

test.run()
