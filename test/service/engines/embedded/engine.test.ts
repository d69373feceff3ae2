import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import { type Draft, toJson } from '../../../../lib/codec/json/draft'
import { parseText } from '../../../../lib/codec/json/parse'
import { nodeFiles } from '../../../../lib/runtime/node/files'
import { noSpan } from '../../../../lib/runtime/tracer'
import type { EngineContext, EngineRequest } from '../../../../lib/service/contract/engine'
import {
  answerInSteps,
  readRequestTexts,
} from '../../../../lib/service/engines/embedded/answer-in-steps'
import { createEmbeddedEngine } from '../../../../lib/service/engines/embedded/open-embedded'
import {
  loadVectorTable,
  type VectorTable,
} from '../../../../lib/service/engines/embedded/vector-table'
import * as fc from '../../../support/fast-check'
import { answerEmbedded } from './answer-embedded'

const test = suite('embedded engine')

let table: VectorTable
test.before(async () => {
  table = await loadVectorTable(nodeFiles)
})

/** The criteria of a noul (a yes/no question): what yes means, and what no means. */
interface NoulCriteria {
  readonly true?: Draft
  readonly false?: Draft
}

/** Returns the probability of yes. */
const answerNoul = (state: Draft, instructions: string, criteria?: NoulCriteria): number => {
  const jsonCriteria =
    criteria === undefined
      ? {}
      : { criteria: { true: toJson(criteria.true ?? ''), false: toJson(criteria.false ?? '') } }
  // The first probability is that of no.
  const [, yes = Number.NaN] = answerEmbedded(
    state,
    { type: 'noul', instructions, ...jsonCriteria },
    table,
  )
  return yes
}

/** Returns the probabilities of the labels. */
const answerChoice = (
  state: Draft,
  labels: Readonly<Record<string, Draft>>,
): ReadonlyArray<number> => {
  const criteria = Object.entries(labels).map(
    ([label, description]) => [label, toJson(description)] as const,
  )
  return answerEmbedded(state, { type: 'choice', instructions: 'Which?', criteria }, table)
}

/** Returns the probabilities of the levels. */
const answerScore = (state: Draft, levels: ReadonlyArray<Draft>): ReadonlyArray<number> =>
  answerEmbedded(state, { type: 'score', criteria: levels.map(toJson) }, table)

const undecidedStates: ReadonlyArray<{ readonly title: string; readonly state: Draft }> = [
  { title: 'nothing', state: '' },
  { title: 'null', state: null },
  { title: 'punctuation', state: '?! ... -- €' },
  { title: 'emoji', state: '😀👍🏽' },
  { title: 'digits only', state: '4111 1111' },
  { title: 'German', state: 'Die Bundesregierung plant höhere Zuschüsse für Krankenhäuser.' },
  { title: 'Spanish', state: 'Quiero devolver el producto porque llegó defectuoso.' },
  { title: 'Chinese', state: '我的订单还没有送到，请帮我查一下。' },
  { title: 'letters at random', state: 'xkqjw zvbnq plmkx qwrtz' },
  { title: 'a false member', state: { refund: false } },
]

for (const { title, state } of undecidedStates)
  test(`has no opinion about ${title}`, () => {
    assert.equal(answerNoul(state, 'Is it about a refund?'), 0.5)
    assert.equal(answerNoul(state, '', { true: 'refund', false: 'delivery' }), 0.5)
    assert.deepEqual(answerChoice(state, { refund: null, delivery: null }), [0.5, 0.5])
    assert.deepEqual(answerScore(state, ['refund', 'delivery']), [0.5, 0.5])
  })

test('has no opinion if the options or the instructions have no words', () => {
  const state = 'I was charged twice.'
  assert.equal(answerNoul(state, ''), 0.5)
  assert.equal(answerNoul(state, '???'), 0.5)
  assert.equal(answerNoul(state, 'Yes?', { true: '+', false: '-' }), 0.5)
  assert.deepEqual(answerChoice(state, { '+': null, '-': null }), [0.5, 0.5])
})

test('gives a single option the probability 1', () => {
  assert.deepEqual(answerChoice('anything', { only: null }), [1])
})

const choiceCases: ReadonlyArray<{
  readonly state: Draft
  readonly labels: Readonly<Record<string, Draft>>
  readonly expected: string
}> = [
  {
    state: 'I was charged twice this month.',
    labels: { billing: null, delivery: null, login: null },
    expected: 'billing',
  },
  {
    state: 'My parcel has not arrived.',
    labels: { billing: null, delivery: null, login: null },
    expected: 'delivery',
  },
  {
    state: 'The password is not accepted.',
    labels: { billing: null, delivery: null, login: null },
    expected: 'login',
  },
  {
    state: 'They scored three goals in the second half.',
    labels: { a: 'politics', b: 'sports', c: 'cooking' },
    expected: 'b',
  },
  {
    state: 'I paid, but my balance did not rise.',
    labels: { top_up_failed: null, card_lost: null },
    expected: 'top_up_failed',
  },
  {
    state: { subject: 'Help', body: ['The soup was cold.'] },
    labels: { meal: { about: ['food'] }, room: { about: ['bed', 'shower'] } },
    expected: 'meal',
  },
]

for (const { state, labels, expected } of choiceCases)
  test(`answers ${expected} about ${JSON.stringify(state)}`, () => {
    const probabilities = answerChoice(state, labels)
    const likeliest = probabilities.indexOf(Math.max(...probabilities))
    assert.equal(Object.keys(labels)[likeliest], expected)
  })

test('answers a yes/no question by its criteria, and without them by its instructions', () => {
  const criteria = { true: 'The customer is angry.', false: 'The customer is happy.' }
  const angry = answerNoul('This is outrageous, I am furious!', 'How is it?', criteria)
  const happy = answerNoul('Thank you, a wonderful stay!', 'How is it?', criteria)
  assert.ok(angry > 0.5 && happy < 0.5, `${angry} and ${happy}`)
  const refund = answerNoul('Please send my money back.', 'Does the customer want a refund?')
  const weather = answerNoul('The sky is blue today.', 'Does the customer want a refund?')
  assert.ok(refund > weather + 0.1, `${refund} and ${weather}`)
})

const negations: ReadonlyArray<{ readonly state: string; readonly question: string }> = [
  { state: 'I do not want a refund.', question: 'Does the customer want a refund?' },
  { state: 'They didn’t pay the invoice.', question: 'Did they pay the invoice?' },
  { state: 'The invoice was never paid.', question: 'Was the invoice paid?' },
  { state: 'No refund please, I will wait.', question: 'Is it about a refund?' },
]

for (const { state, question } of negations)
  test(`answers no to "${question}" about "${state}"`, () => {
    const yes = answerNoul(state, question)
    assert.ok(yes < 0.5, String(yes))
  })

const affirmations: ReadonlyArray<{ readonly state: string; readonly question: string }> = [
  { state: 'It is not late. The invoice was paid.', question: 'Was the invoice paid?' },
  { state: 'No, I want a refund.', question: 'Does the customer want a refund?' },
  { state: 'I want a refund, no refund is no option.', question: 'Is it about a refund?' },
  { state: 'The invoice was not paid.', question: 'Was the invoice not paid?' },
]

for (const { state, question } of affirmations)
  test(`answers yes to "${question}" about "${state}"`, () => {
    const yes = answerNoul(state, question)
    assert.ok(yes > 0.5, String(yes))
  })

test('reads the names of members that are true or a number, and no other names', () => {
  const read = (state: Draft): ReadonlyArray<string> => {
    const texts = readRequestTexts({ state: toJson(state), questions: [] })
    assert.ok(E.isRight(texts))
    return texts.right.state
  }
  assert.deepEqual(
    read({ isPaid: true, is_open: false, seats: 4, name: 'Ada', tags: [null, 'x'] }),
    ['is Paid', 'seats', '4', 'Ada', 'x'],
  )
})

test('ignores names in backquotes, which refer to members of the state', () => {
  const state = { parcel: 'The parcel is late.' }
  assert.equal(
    answerNoul(state, 'Is `parcel` about football?'),
    answerNoul(state, 'Is `ticket` about football?'),
  )
})

test('reads a state with nearly 1,000 levels of objects and arrays', () => {
  const opening = `${'[{"a":'.repeat(100)}${'['.repeat(700)}`
  const closing = `${']'.repeat(700)}${'}]'.repeat(100)}`
  const state = parseText(`${opening}"delivery"${closing}`)
  assert.ok(E.isRight(state))
  assert.ok(answerNoul(state.right, 'Is it about a delivery?') > 0.5)
})

const twoQuestions: EngineRequest = {
  state: toJson({ ticket: 'The invoice is wrong.' }),
  questions: [
    ['b', { type: 'noul', instructions: 'Is the invoice wrong?' }],
    ['a', { type: 'score', criteria: ['fine', 'wrong'] }],
  ],
}
const context = { signal: new AbortController().signal, span: noSpan, compute: TE.fromIO }

test('answers in the order of the questions, always in the same way, and reports no tokens', async () => {
  const engine = createEmbeddedEngine(nodeFiles)
  const first = await engine.answer(twoQuestions, context)()
  assert.ok(E.isRight(first))
  assert.deepEqual(
    first.right.answers.map(({ type }) => type),
    ['noul', 'score'],
  )
  assert.deepEqual(first.right.usage, { input_tokens: null, output_tokens: null })
  assert.deepEqual(await engine.answer(twoQuestions, context)(), first)
})

test('reads the table at the first question, not when the engine is created', async () => {
  let reads = 0
  const files = {
    read: () => {
      reads += 1
      return Promise.reject(new Error('unused'))
    },
  }
  await createEmbeddedEngine(files).close()
  assert.equal(reads, 0)
})

/** The engine's limit for the words of a request. */
const maxWords = 32_768
const fourWords = 'Is it paid now?'

/** Reads the texts of a request with one noul. */
const readNoulTexts = (state: Draft, instructions: string) =>
  readRequestTexts({ state: toJson(state), questions: [['q', { type: 'noul', instructions }]] })

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

for (const text of ['. ', '`', "'", '\n', '"', '`.', '`_`'])
  test(`reads 2 MiB of ${JSON.stringify(text)} without running out of memory`, () => {
    const state = text.repeat((2 << 20) / text.length)
    assert.equal(answerNoul(state, `Is it paid? ${text.repeat(1 << 20)}`), 0.5)
  })

/** Requests that need many turns, by the work that takes longest. */
const createLongRequests = (): Readonly<Record<string, EngineRequest>> => {
  const words = [...table.vocabulary.keys()].filter((piece) => /^[a-z]{5,}$/.test(piece))
  const state = words.slice(0, 400).join(' ')
  const labels = Array.from({ length: 255 }, (_, i) => words.slice(400 + 50 * i, 450 + 50 * i))
  const askChoice = (labelTexts: ReadonlyArray<string>): EngineRequest['questions'] => [
    ['q', { type: 'choice', criteria: labelTexts.map((label) => [label, null] as const) }],
  ]
  return {
    'many options': { state, questions: askChoice(labels.map((label) => label.join(' '))) },
    'a long option': { state, questions: askChoice([words.join(' '), 'short']) },
    // 40 letters count as a word, and have many pieces.
    'long words': { state: 'qzqxjqzxqj'.repeat(4).concat(' ').repeat(4_000), questions: [] },
    'a long text without blanks': { state: '!'.repeat(1 << 18), questions: [] },
  }
}

test('one turn of the event loop reads and compares a bounded part of a request', async () => {
  for (const [title, request] of Object.entries(createLongRequests())) {
    const texts = readRequestTexts(request)
    assert.ok(E.isRight(texts))
    // The engine ends a turn at the first step after a cost of 10,000.
    let maxCost = 0
    let totalCost = 0
    for (const cost of answerInSteps(texts.right, table)) {
      maxCost = Math.max(maxCost, cost)
      totalCost += cost
    }
    assert.ok(maxCost <= 41_000, `${title}: ${maxCost}`)
    let turns = 0
    const compute: EngineContext['compute'] = (work) => {
      turns += 1
      return TE.fromIO(work)
    }
    const engine = createEmbeddedEngine(nodeFiles)
    assert.ok(E.isRight(await engine.answer(request, { ...context, compute })()))
    assert.ok(turns >= totalCost / (10_000 + maxCost), `${title}: ${turns} turns`)
  }
})

/** Words of different meanings and languages, punctuation, and no word. */
const anyWord = fc.constantFrom(
  'paid',
  'not',
  'invoice',
  'late',
  'Zürich',
  'very',
  '.',
  'x',
  '東',
  '',
)
const anyPhrase = fc.array(anyWord, { maxLength: 12 }).map((words) => words.join(' '))
const anyState = fc.oneof(anyPhrase, fc.string(), fc.jsonValue())
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

test('property: the probabilities of labels and levels are distributions', () => {
  fc.assert(
    fc.property(anyState, anyLevels, (state, levels) => {
      const labels = Object.fromEntries(levels.map((level, i) => [`l${i}`, level]))
      for (const probabilities of [answerScore(state, levels), answerChoice(state, labels)]) {
        assert.equal(probabilities.length, levels.length)
        assert.ok(probabilities.every((probability) => probability >= 0))
        const total = probabilities.reduce((sum, p) => sum + p, 0)
        assert.ok(Math.abs(total - 1) < 1e-9)
      }
    }),
    propertyOptions,
  )
})

test.run()
