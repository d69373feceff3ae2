import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import { type Draft, toJson } from '../../../lib/codec/json/draft'
import { parseText } from '../../../lib/codec/json/parse'
import { noSpan } from '../../../lib/runtime/tracer'
import type { EngineRequest } from '../../../lib/service/contract/engine'
import { createLexicalEngine, readTexts } from '../../../lib/service/engines/lexical/engine'
import * as fc from '../../support/fast-check'
import { answerLexically } from './answer-lexically'

const test = suite('lexical engine')

interface NoulTexts {
  readonly true?: string
  readonly false?: string
}

/** Returns the probability of yes. */
const answerNoul = (state: Draft, instructions: string, criteria?: NoulTexts): number => {
  const question = { type: 'noul', instructions } as const
  const [, yes = Number.NaN] = answerLexically(
    state,
    criteria === undefined ? question : { ...question, criteria: { ...criteria } },
  )
  return yes
}

/** Returns the probabilities of the labels. */
const answerChoice = (
  state: Draft,
  labels: Readonly<Record<string, string | null>>,
): ReadonlyArray<number> =>
  answerLexically(state, {
    type: 'choice',
    instructions: 'Which?',
    criteria: Object.entries(labels),
  })

/** Returns the probabilities of the levels. */
const answerScore = (state: Draft, levels: ReadonlyArray<Draft>): ReadonlyArray<number> =>
  answerLexically(state, { type: 'score', criteria: levels.map(toJson) })

const undecided: ReadonlyArray<readonly [state: Draft, instructions: string]> = [
  ['The sky is blue.', 'Was the invoice paid?'],
  ['', 'Was the invoice paid?'],
  ['The sky is blue.', 'Is it?'],
  [null, 'Was it paid?'],
  ['Where the road ends.', 'Where is it?'],
  [{ ticket: 'Hello.' }, 'Is `ticket` urgent?'],
]

for (const [state, instructions] of undecided)
  test(`answers exactly 0.5 to "${instructions}" about ${JSON.stringify(state)}`, () => {
    assert.equal(answerNoul(state, instructions), 0.5)
  })

test('answers exactly 0.5 if no criterion matches', () => {
  assert.equal(answerNoul('The sky is blue.', '', { true: 'paid', false: 'unpaid' }), 0.5)
})

test('gives all options exactly the same probability if none or all of them match', () => {
  const third = 1 / 3
  const noMatch = answerChoice('The sky is blue.', { a: 'paid', b: 'unpaid', c: null })
  assert.deepEqual(noMatch, [third, third, third])
  const sameMatch = answerChoice('a problem', { a: 'problem red', b: 'problem blue' })
  assert.deepEqual(sameMatch, [0.5, 0.5])
  assert.deepEqual(answerScore('The sky is blue.', ['cold', 'warm']), [0.5, 0.5])
  assert.deepEqual(answerChoice('anything', { only: null }), [1])
})

const decided: ReadonlyArray<
  readonly [state: Draft, instructions: string, expected: 'yes' | 'no', criteria?: NoulTexts]
> = [
  ['We refunded the payments yesterday.', 'Was the payment refunded?', 'yes'],
  ['The invoice was not paid.', 'Was the invoice paid?', 'no'],
  ["They didn't pay the invoice.", 'Did they pay the invoice?', 'no'],
  ['They didn’t pay.', 'Did they pay?', 'no'],
  ['The invoice was paid.', 'Was the invoice not paid?', 'no'],
  ['It is not late. It was paid.', 'Was it paid?', 'yes'],
  ['It was delivered at noon.', 'Has it come?', 'yes', { true: 'It was delivered' }],
  ['It is missing.', 'Has it come?', 'no', { true: 'delivered', false: 'It is missing' }],
  [{ invoice: { paid: true } }, 'Was it paid?', 'yes'],
  [['a\nrefund'], 'Is it about refunds?', 'yes'],
  ['東京に住んでいます', '東京', 'yes'],
]

for (const [state, instructions, expected, criteria] of decided)
  test(`answers ${expected} to "${instructions}" about ${JSON.stringify(state)}`, () => {
    const yes = answerNoul(state, instructions, criteria)
    assert.ok(expected === 'yes' ? yes > 0.5 : yes < 0.5, String(yes))
  })

test('prefers the label whose description has more words of the state', () => {
  const [billing = 0, bug = 0] = answerChoice('The invoice is wrong', {
    billing: 'A problem with an invoice',
    bug: 'A problem with the program',
  })
  assert.ok(billing > 0.55 && bug < 0.45)
})

test('prefers a label in the state to a missing one, and a missing one to a negated one', () => {
  const labels = { late: null, damaged: null, colour: null }
  const [late = 0, damaged = 0, colour = 0] = answerChoice(
    'Not late, but the wrong colour.',
    labels,
  )
  assert.ok(colour > damaged && damaged > late)
})

test('compares question words such as "who" in options', () => {
  const [person = 0, place = 0] = answerChoice('Who wrote it?', { person: 'who', place: 'where' })
  assert.ok(person > place)
})

test('prefers the level that has more words of the state', () => {
  const [cosmetic = 0, critical = 0] = answerScore('a critical fault', ['cosmetic', 'critical'])
  assert.ok(critical > cosmetic)
})

const escapedState = '{"\\u0063af\\u00e9":"\\nok\\n\\u0070aid"}'

for (const instructions of ['Was it paid?', 'Is it a café?', 'Is it ok?'])
  test(`decodes the escapes of a JSON state for "${instructions}"`, () => {
    const state = parseText(escapedState)
    assert.ok(E.isRight(state))
    assert.ok(answerNoul(state.right, instructions) > 0.5)
  })

const twoQuestions: EngineRequest = {
  state: toJson({ ticket: 'The invoice is wrong.' }),
  questions: [
    ['b', { type: 'noul', instructions: 'Is the invoice wrong?' }],
    ['a', { type: 'score', criteria: ['fine', 'wrong'] }],
  ],
}
const context = { signal: new AbortController().signal, span: noSpan, compute: TE.fromIO }

test('answers in the order of the questions, and reports no tokens', async () => {
  const answered = await createLexicalEngine().answer(twoQuestions, context)()
  assert.ok(E.isRight(answered))
  const { answers, usage } = answered.right
  assert.deepEqual(
    answers.map(({ type }) => type),
    ['noul', 'score'],
  )
  assert.deepEqual(usage, { input_tokens: null, output_tokens: null })
})

test('answers the same request always in the same way', async () => {
  const engine = createLexicalEngine()
  const first = await engine.answer(twoQuestions, context)()
  assert.deepEqual(await engine.answer(twoQuestions, context)(), first)
})

const maxWords = 32_768
/** It has four words. */
const shortInstructions = 'Is it paid now?'

/** Reads the texts of a request with one noul. */
const readNoulTexts = (state: Draft, instructions: string) =>
  readTexts({ state: toJson(state), questions: [['q', { type: 'noul', instructions }]] })

test('accepts 32,768 words in state and question together', () => {
  assert.ok(E.isRight(readNoulTexts('word '.repeat(maxWords - 4), shortInstructions)))
})

const tooLong: ReadonlyArray<
  readonly [title: string, state: Draft, instructions: string, words: number]
> = [
  ['one word more in the state', 'word '.repeat(maxWords - 3), shortInstructions, maxWords + 1],
  ['long instructions', 'Is it paid now?', 'word '.repeat(maxWords), maxWords + 4],
  ['2 MiB without a blank', 'a'.repeat(2 << 20), '', Math.ceil((2 << 20) / 40)],
  ['ideographs', '東'.repeat(700_000), '', 700_000],
  ['an array', Array(100_000).fill(1), '', 100_000],
]

for (const [title, state, instructions, words] of tooLong)
  test(`refuses more than 32,768 words with both numbers: ${title}`, () => {
    const refused = readNoulTexts(state, instructions)
    assert.ok(E.isLeft(refused))
    assert.equal(refused.left.status, 400)
    assert.equal(refused.left.type, 'max_tokens_exceeded')
    assert.equal(
      refused.left.message,
      `the state and the questions are too long for the engine: ${words} words, at most 32768`,
    )
  })

test('reads a state with 1,000 levels', () => {
  const open = `${'[{"a":'.repeat(100)}${'['.repeat(700)}`
  const close = `${']'.repeat(700)}${'}]'.repeat(100)}`
  const state = parseText(`${open}"paid"${close}`)
  assert.ok(E.isRight(state))
  assert.ok(answerNoul(state.right, 'Was it paid?') > 0.5)
})

for (const mark of ['. ', '`', "'", '\n', '"', '`.', '`_`'])
  test(`reads 2 MiB of ${JSON.stringify(mark)} without running out of memory`, () => {
    const state = mark.repeat((2 << 20) / mark.length)
    assert.equal(answerNoul(state, `Is it paid? ${mark.repeat(1 << 20)}`), 0.5)
  })

const anyWord = fc.constantFrom(
  'paid',
  'not',
  'invoice',
  'late',
  'very',
  'Late!',
  '.',
  'x',
  '東',
  '',
)
const anyPhrase = fc.array(anyWord, { maxLength: 12 }).map((words) => words.join(' '))
const anyState = fc.oneof(anyPhrase, fc.jsonValue()) as fc.Arbitrary<Draft>
const anyLevels = fc.array(fc.oneof(anyPhrase, fc.string()), { minLength: 2, maxLength: 12 })
const propertyOptions = { numRuns: 300, seed: 6 }

test('property: the probability of yes is between 0 and 1', () => {
  fc.assert(
    fc.property(anyState, anyPhrase, (state, instructions) => {
      const yes = answerNoul(state, instructions)
      assert.ok(yes >= 0 && yes <= 1)
    }),
    propertyOptions,
  )
})

test('property: the probabilities of levels are a distribution, and do not depend on their order', () => {
  fc.assert(
    fc.property(anyState, anyLevels, (state, levels) => {
      const probabilities = answerScore(state, levels)
      assert.equal(probabilities.length, levels.length)
      assert.ok(probabilities.every((probability) => probability >= 0))
      assert.ok(Math.abs(probabilities.reduce((sum, p) => sum + p, 0) - 1) < 1e-9)
      const reversed = answerScore(state, [...levels].reverse())
      for (const [i, probability] of probabilities.entries()) {
        const other = reversed[levels.length - 1 - i] ?? Number.NaN
        assert.ok(Math.abs(probability - other) < 1e-12)
      }
    }),
    propertyOptions,
  )
})

test.run()
