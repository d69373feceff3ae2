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

/** The criteria of a noul (a yes/no question): what yes means, and what no means. */
interface NoulCriteria {
  readonly true?: string
  readonly false?: string
}

/** Returns the probability of yes. */
const answerNoul = (state: Draft, instructions: string, criteria?: NoulCriteria): number => {
  const question = { type: 'noul', instructions } as const
  // The first probability is that of no.
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

const undecidedCases: ReadonlyArray<{ readonly state: Draft; readonly instructions: string }> = [
  { state: 'The sky is blue.', instructions: 'Was the invoice paid?' },
  { state: '', instructions: 'Was the invoice paid?' },
  { state: null, instructions: 'Was it paid?' },
  // Function words such as `is` do not count, and neither do question words in the instructions.
  { state: 'The sky is blue.', instructions: 'Is it?' },
  { state: 'Where the road ends.', instructions: 'Where is it?' },
  // A name in backquotes refers to a member of the state, so it does not count.
  { state: { ticket: 'Hello.' }, instructions: 'Is `ticket` urgent?' },
]

for (const { state, instructions } of undecidedCases)
  test(`answers exactly 0.5 to "${instructions}" about ${JSON.stringify(state)}`, () => {
    assert.equal(answerNoul(state, instructions), 0.5)
  })

test('answers exactly 0.5 if no criterion matches', () => {
  assert.equal(answerNoul('The sky is blue.', '', { true: 'paid', false: 'unpaid' }), 0.5)
})

test('gives all options exactly the same probability if no option matches', () => {
  const third = 1 / 3
  const noMatch = answerChoice('The sky is blue.', { a: 'paid', b: 'unpaid', c: null })
  assert.deepEqual(noMatch, [third, third, third])
  assert.deepEqual(answerScore('The sky is blue.', ['cold', 'warm']), [0.5, 0.5])
})

test('gives all options exactly the same probability if all of them match equally', () => {
  const sameMatch = answerChoice('a problem', { a: 'problem red', b: 'problem blue' })
  assert.deepEqual(sameMatch, [0.5, 0.5])
})

test('gives a single option the probability 1', () => {
  assert.deepEqual(answerChoice('anything', { only: null }), [1])
})

const decidedCases: ReadonlyArray<{
  readonly state: Draft
  readonly instructions: string
  readonly criteria?: NoulCriteria
  readonly expected: 'yes' | 'no'
}> = [
  {
    state: 'We refunded the payments yesterday.',
    instructions: 'Was the payment refunded?',
    expected: 'yes',
  },
  {
    state: 'The invoice was not paid.',
    instructions: 'Was the invoice paid?',
    expected: 'no',
  },
  {
    state: "They didn't pay the invoice.",
    instructions: 'Did they pay the invoice?',
    expected: 'no',
  },
  { state: 'They didn’t pay.', instructions: 'Did they pay?', expected: 'no' },
  {
    state: 'The invoice was paid.',
    instructions: 'Was the invoice not paid?',
    expected: 'no',
  },
  { state: 'It is not late. It was paid.', instructions: 'Was it paid?', expected: 'yes' },
  {
    state: 'It was delivered at noon.',
    instructions: 'Has it come?',
    criteria: { true: 'It was delivered' },
    expected: 'yes',
  },
  {
    state: 'It is missing.',
    instructions: 'Has it come?',
    criteria: { true: 'delivered', false: 'It is missing' },
    expected: 'no',
  },
  { state: { invoice: { paid: true } }, instructions: 'Was it paid?', expected: 'yes' },
  { state: ['a\nrefund'], instructions: 'Is it about refunds?', expected: 'yes' },
  // "I live in Tokyo", and "Tokyo". Each character counts as a word.
  { state: '東京に住んでいます', instructions: '東京', expected: 'yes' },
]

for (const { state, instructions, criteria, expected } of decidedCases)
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

test('prefers a label in the state to an absent label, and an absent label to a negated one', () => {
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

/** The JSON of an object with the name `café` and the lines `ok` and `paid`. */
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
  const result = await createLexicalEngine().answer(twoQuestions, context)()
  assert.ok(E.isRight(result))
  const { answers, usage } = result.right
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

/** The engine's limit for the words of a request. */
const maxWords = 32_768
const fourWords = 'Is it paid now?'

/** Reads the texts of a request with one noul. */
const readNoulTexts = (state: Draft, instructions: string) =>
  readTexts({ state: toJson(state), questions: [['q', { type: 'noul', instructions }]] })

test('accepts 32,768 words in state and question together', () => {
  assert.ok(E.isRight(readNoulTexts('word '.repeat(maxWords - 4), fourWords)))
})

const tooLongRequests: ReadonlyArray<{
  readonly title: string
  readonly state: Draft
  readonly instructions: string
  readonly words: number
}> = [
  {
    title: 'one word more in the state',
    state: 'word '.repeat(maxWords - 3),
    instructions: fourWords,
    words: maxWords + 1,
  },
  {
    title: 'long instructions',
    state: fourWords,
    instructions: 'word '.repeat(maxWords),
    words: maxWords + 4,
  },
  {
    // A run of letters counts as one word per 40 letters.
    title: '2 MiB without a space',
    state: 'a'.repeat(2 << 20),
    instructions: '',
    words: Math.ceil((2 << 20) / 40),
  },
  { title: 'ideographs', state: '東'.repeat(700_000), instructions: '', words: 700_000 },
  { title: 'an array', state: Array(100_000).fill(1), instructions: '', words: 100_000 },
]

for (const { title, state, instructions, words } of tooLongRequests)
  test(`refuses more than 32,768 words with both numbers: ${title}`, () => {
    const refusal = readNoulTexts(state, instructions)
    assert.ok(E.isLeft(refusal))
    assert.equal(refusal.left.status, 400)
    assert.equal(refusal.left.type, 'max_tokens_exceeded')
    assert.equal(
      refusal.left.message,
      `the state and the questions are too long for the engine: ${words} words, at most 32768`,
    )
  })

test('reads a state with nearly 1,000 levels of objects and arrays', () => {
  const opening = `${'[{"a":'.repeat(100)}${'['.repeat(700)}`
  const closing = `${']'.repeat(700)}${'}]'.repeat(100)}`
  const state = parseText(`${opening}"paid"${closing}`)
  assert.ok(E.isRight(state))
  assert.ok(answerNoul(state.right, 'Was it paid?') > 0.5)
})

for (const text of ['. ', '`', "'", '\n', '"', '`.', '`_`'])
  test(`reads 2 MiB of ${JSON.stringify(text)} without running out of memory`, () => {
    const state = text.repeat((2 << 20) / text.length)
    assert.equal(answerNoul(state, `Is it paid? ${text.repeat(1 << 20)}`), 0.5)
  })

/** Words that match each other, negators, stop words, punctuation, an ideograph, and no word. */
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
const anyState = fc.oneof(anyPhrase, fc.jsonValue())
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

test('property: the probabilities of levels are a distribution', () => {
  fc.assert(
    fc.property(anyState, anyLevels, (state, levels) => {
      const probabilities = answerScore(state, levels)
      assert.equal(probabilities.length, levels.length)
      assert.ok(probabilities.every((probability) => probability >= 0))
      const total = probabilities.reduce((sum, p) => sum + p, 0)
      assert.ok(Math.abs(total - 1) < 1e-9)
    }),
    propertyOptions,
  )
})

test('property: the probability of a level does not depend on the order of levels', () => {
  fc.assert(
    fc.property(anyState, anyLevels, (state, levels) => {
      const probabilities = answerScore(state, levels)
      const reversed = answerScore(state, [...levels].reverse())
      for (const [i, probability] of probabilities.entries()) {
        const probabilityInReverse = reversed[levels.length - 1 - i] ?? Number.NaN
        assert.ok(Math.abs(probability - probabilityInReverse) < 1e-12)
      }
    }),
    propertyOptions,
  )
})

test.run()
