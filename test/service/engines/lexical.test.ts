import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { type Draft, toJson } from '../../../lib/json/draft'
import { parseText } from '../../../lib/json/parse'
import type { Distribution, EngineQuestion } from '../../../lib/service/contract/engine'
import { askedOf } from '../../../lib/service/engines/lexical/asked'
import { answerWith, lexicalEngine } from '../../../lib/service/engines/lexical/engine'
import { readState } from '../../../lib/service/engines/lexical/state'
import { weights } from '../../../lib/service/engines/lexical/weights'
import * as fc from '../../support/fast-check'

const test = suite('lexical engine')

const judge = (state: Draft, question: EngineQuestion): Distribution => {
  const { answers } = answerWith({ state: toJson(state), questions: [['q', question]] }, weights)
  const [distribution] = answers
  assert.ok(distribution !== undefined)
  return distribution
}
const yes = (state: Draft, instructions: string, criteria?: { true?: Draft; false?: Draft }) => {
  const distribution = judge(state, {
    type: 'noul',
    instructions: toJson(instructions),
    ...(criteria === undefined
      ? {}
      : {
          criteria: {
            ...(criteria.true === undefined ? {} : { true: toJson(criteria.true) }),
            ...(criteria.false === undefined ? {} : { false: toJson(criteria.false) }),
          },
        }),
  })
  assert.ok(distribution.type === 'noul')
  return distribution.yes
}
const choice = (state: Draft, labels: Record<string, Draft>, instructions = 'Which?') => {
  const distribution = judge(state, {
    type: 'choice',
    instructions: toJson(instructions),
    criteria: Object.entries(labels).map(([label, text]) => [
      label,
      text === null ? null : toJson(text),
    ]),
  })
  assert.ok(distribution.type === 'choice')
  return distribution.probabilities
}
const score = (state: Draft, levels: ReadonlyArray<Draft>) => {
  const distribution = judge(state, { type: 'score', criteria: levels.map(toJson) })
  assert.ok(distribution.type === 'score')
  return distribution.probabilities
}

test('says exactly 0.5 and uniform without evidence (D39)', () => {
  assert.equal(yes('The sky is blue.', 'Was the invoice paid?'), 0.5)
  assert.equal(yes('', 'Was the invoice paid?'), 0.5)
  assert.equal(yes('The sky is blue.', 'Is it?'), 0.5)
  assert.equal(yes('The sky is blue.', '', { true: 'paid', false: 'unpaid' }), 0.5)
  assert.deepEqual(choice('The sky is blue.', { a: 'paid', b: 'unpaid', c: null }), [
    1 / 3,
    1 / 3,
    1 / 3,
  ])
  assert.deepEqual(score('The sky is blue.', ['cold', 'warm']), [0.5, 0.5])
  assert.deepEqual(choice('anything', { only: null }), [1])
})

test('finds the words of a question, stemmed, in the state', () => {
  assert.ok(yes('We refunded the payments yesterday.', 'Was the payment refunded?') > 0.5)
  assert.ok(
    yes('The cat slept on the warm sofa all day.', 'Did the dog or the cat bark at strangers?') <
      0.5,
  )
})

test('takes negation into account', () => {
  assert.ok(yes('The invoice was not paid.', 'Was the invoice paid?') < 0.5)
  assert.ok(yes("They didn't pay the invoice.", 'Did they pay the invoice?') < 0.5)
  assert.ok(yes('The invoice was paid.', 'Was the invoice not paid?') < 0.5)
  assert.ok(yes({ invoice: { paid: false } }, 'Was it paid?') < 0.5)
  assert.ok(yes({ invoice: { paid: null } }, 'Was it paid?') < 0.5)
  assert.ok(yes({ invoice: { paid: true } }, 'Was it paid?') > 0.5)
})

test('a negation ends with its clause', () => {
  const [late = 0, damaged = 0, colour = 0] = choice(
    'Not late, not damaged, but the wrong colour.',
    {
      late: null,
      damaged: null,
      colour: null,
    },
  )
  assert.ok(colour > late && colour > damaged)
})

test('weighs the criteria of a noul against each other', () => {
  const criteria = { true: 'The parcel was delivered', false: 'The parcel is missing' }
  assert.ok(yes('It was delivered at noon.', 'Has it come?', criteria) > 0.5)
  assert.ok(yes('It has gone missing.', 'Has it come?', criteria) < 0.5)
  assert.ok(yes('It was delivered at noon.', 'Has it come?', { true: criteria.true }) > 0.5)
})

test('chooses by label and by description, and words all options share decide nothing', () => {
  const [billing = 0, bug = 0] = choice('The invoice is wrong', {
    billing: 'A problem with an invoice',
    bug: 'A problem with the program',
  })
  assert.ok(billing > 0.6 && bug < 0.4)
  assert.deepEqual(choice('a problem', { a: 'problem red', b: 'problem blue' }), [0.5, 0.5])
})

test('praise and complaint tell options apart that stand against each other in them', () => {
  const tone = { pleased: null, disappointed: null }
  const [pleased = 0] = choice('Great coffee, and the staff were lovely.', tone)
  assert.ok(pleased > 0.6)
  const [less = 1] = choice('Terrible coffee. A waste of money.', tone)
  assert.ok(less < 0.4)
  const [not = 1] = choice('The coffee was not good.', tone)
  assert.ok(not < 0.5, 'a negation turns praise into its opposite')
  const criteria = { true: 'The guest is happy', false: 'The guest is angry' }
  assert.ok(yes('I loved it.', 'How does the guest feel?', criteria) > 0.6)
  const levels = score('What an awful, horrible day.', ['bad', 'middling', 'excellent'])
  assert.equal(levels.indexOf(Math.max(...levels)), 0)
  const neither = choice('Great coffee.', { good: null, better: null, tall: null })
  assert.deepEqual(neither, [1 / 3, 1 / 3, 1 / 3], 'options that only praise say nothing')
})

test('a word that praises or complains does not make a longer option stand for that', () => {
  const levels = ['Hints that help to find a fault', 'A problem, so that a file cannot be read']
  assert.deepEqual(score('An awful, horrible mess.', levels), [0.5, 0.5])
})

test('topics of which few have names that praise or complain are not told apart by that', () => {
  const topics = { sport: null, crime: null, fun: null, weather: null, trade: null }
  assert.deepEqual(choice('A terrible, awful waste.', topics), [0.2, 0.2, 0.2, 0.2, 0.2])
  const replies = { great: null, awful: null, question: null, other: null }
  const [great = 1, awful = 0] = choice('A terrible, dreadful waste.', replies)
  assert.ok(awful > 0.4 && great < 0.2, 'half of the options are enough')
})

test('the words that questions begin with count in states and options, not in instructions', () => {
  const kinds = { person: 'Who did it', place: 'Where it was', number: 'How many there were' }
  const [person = 0, place = 0] = choice('Who wrote Hamlet?', kinds, 'What does it ask for?')
  assert.ok(person > 0.5 && place < 0.3)
  assert.ok((choice('How many moons has Mars?', kinds)[2] ?? 0) > 0.5)
  assert.equal(yes('Where the road ends.', 'Where is it?'), 0.5)
})

test('claims less than its words alone would say', () => {
  const [billing = 0] = choice('The invoice is wrong', { billing: 'An invoice', bug: 'A fault' })
  assert.ok(billing > 0.5 && billing < 0.75)
})

test('finds a level, and gives its neighbours more than levels far away', () => {
  const [far = 0, near = 0, hit = 0] = score('a critical fault', [
    'cosmetic',
    'annoying',
    'critical',
  ])
  assert.ok(hit > near && near > far)
})

test('D67: a member that is named often is read once', () => {
  const state = { ticket: 'The invoice is wrong. '.repeat(5000) }
  const often = yes(state, `Is \`ticket\` about an invoice? ${'`ticket` '.repeat(5000)}`)
  assert.equal(often, yes(state, 'Is `ticket` about an invoice?'))
})

test('judges by the members that backquotes name, and by no other', () => {
  const state = { ticket: 'The invoice is wrong.', reply: 'We repaired the printer.' }
  const labels = { invoice: null, printer: null }
  const [invoice = 0] = choice(state, labels, 'What is `ticket` about?')
  const [, printer = 0] = choice(state, labels, 'What is `reply` about?')
  assert.ok(invoice > 0.5 && printer > 0.5)
  assert.equal(yes({ ticket: 'Hello.' }, 'Is `ticket` urgent?'), 0.5)
  assert.ok(yes({ text: 'A `flag` is set' }, 'Is a `flag` set?') > 0.5)
})

test('focuses on the sentences the instructions speak of', () => {
  const state = 'The seller is in Rome. The buyer is in Oslo. The buyer pays.'
  const [rome = 0, oslo = 0] = choice(state, { Rome: null, Oslo: null }, 'Where is the buyer?')
  assert.ok(oslo > rome)
})

test('reads every kind of state: names, numbers, escapes, other scripts', () => {
  assert.ok(yes({ shippedAt: '2024' }, 'Is it shipped?') > 0.5)
  assert.ok(
    yes([1, [2, { n: 12345678901234567890n.toString() }]], 'Is 12345678901234567890 there?') > 0.5,
  )
  const escaped = parseText('{"\\u0063af\\u00e9":"\\u0070aid"}')
  assert.ok(E.isRight(escaped))
  assert.ok(yes(escaped.right, 'Was the cafe paid?') > 0.5)
  const [tokyo = 0, osaka = 0] = choice('東京に住んでいます', { 東京: null, 大阪: null })
  assert.ok(tokyo > osaka)
  assert.equal(yes(null, 'Was it paid?'), 0.5)
})

test('depth and size cost no stack and little time', () => {
  const depth = 200_000
  const deep = parseText(`${'[{"a":'.repeat(depth)}"paid"${'}]'.repeat(depth)}`)
  assert.ok(E.isRight(deep))
  assert.ok(yes(deep.right, 'Was it paid?') > 0.5)
})

test('answers in order, names its model, reports no usage, and is deterministic (D41)', async () => {
  const engine = lexicalEngine()
  const request = {
    state: toJson({ ticket: 'The invoice is wrong.' }),
    questions: [
      ['b', { type: 'noul', instructions: toJson('Is the invoice wrong?') }],
      ['a', { type: 'score', criteria: [toJson('fine'), toJson('wrong')] }],
    ] as ReadonlyArray<readonly [string, EngineQuestion]>,
  }
  const context = {
    signal: new AbortController().signal,
    span: {
      set: () => undefined,
      event: () => undefined,
      end: () => undefined,
      headers: () => ({}),
    },
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

const word = fc.constantFrom('paid', 'not', 'invoice', 'late', 'very', 'Late!', '.', 'x', '東', '')
const phrase = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))

test('property: every distribution is a distribution', () => {
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
      },
    ),
    { numRuns: 300, seed: 6 },
  )
})

test('property: more of a level in the state never makes it less likely', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), (times) => {
      const at = (n: number) => score(`${'warm '.repeat(n)} day`, ['cold', 'warm'])[1] ?? 0
      assert.ok(at(times + 1) >= at(times))
    }),
    { seed: 6 },
  )
})

test('property: the order of options does not matter', () => {
  fc.assert(
    fc.property(phrase, phrase, phrase, (state, one, two) => {
      const [a = 0, b = 0] = choice(state, { p: one, q: two })
      const [c = 0, d = 0] = choice(state, { q: two, p: one })
      assert.ok(Math.abs(a - d) < 1e-12 && Math.abs(b - c) < 1e-12)
    }),
    { numRuns: 200, seed: 6 },
  )
})

test('a member that is named several times is read once', () => {
  const state = { ticket: 'The refund is late. The invoice is fine.', other: 'An invoice.' }
  const labels = { refund: 'a late refund', invoice: 'an invoice' }
  const once = choice(state, labels, 'What is `ticket` about?')
  assert.deepEqual(choice(state, labels, 'What is `ticket` about, `ticket` alone?'), once)
})

test('only what questions ask for is remembered of a state, and no more places than count', () => {
  const state = toJson({ a: 'order. '.repeat(30_000), b: 'order refund' })
  const instructions = toJson('An order in `b` and `c`?')
  const asked = askedOf([['q', { type: 'noul', instructions }]])
  assert.deepEqual([...asked.names], ['b', 'c'])
  const { isMember, placesIn } = readState(state, asked)
  assert.deepEqual(['a', 'b', 'c'].map(isMember), [false, true, false])
  assert.equal(placesIn([]).get('order')?.length, 20_000)
  assert.equal(placesIn([]).get('refund'), undefined)
  assert.deepEqual(placesIn(['b']).get('order'), [0])
})

test.run()
