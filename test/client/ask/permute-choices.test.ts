import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { permuteChoices } from '../../../lib/client/ask/permute-choices'
import { encodeText } from '../../../lib/codec/json/draft'
import type { RequestQuestion } from '../../../lib/codec/question'
import { encodeResponse } from '../../../lib/codec/response'
import { createResponse } from '../../runs/record/records'

const test = suite('ask/permute-choices')

const createChoice = (...labels: ReadonlyArray<string>): RequestQuestion => ({
  type: 'choice',
  criteria: labels.map((label) => [label, null] as const),
})

const permuteOrThrow = (
  questions: Readonly<Record<string, RequestQuestion>>,
  maxOrders: number,
) => {
  const result = permuteChoices(Object.entries(questions), maxOrders)
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

/** Permutes questions, and lists what is sent: each id with the labels in their order, such as `t#2 bca`. */
const listOrders = (
  questions: Readonly<Record<string, RequestQuestion>>,
  maxOrders: number,
): ReadonlyArray<string> =>
  permuteOrThrow(questions, maxOrders).questions.map(([id, question]) => {
    const labels = question.type === 'choice' ? (question.criteria ?? []) : []
    return `${id} ${labels.map(([label]) => label).join('')}`
  })

const threeLabels = { t: createChoice('a', 'b', 'c') }

test('asks a choice in the given order, then in rotations', () => {
  assert.equal(listOrders(threeLabels, 1), ['t abc'])
  assert.equal(listOrders(threeLabels, 3), ['t abc', 't#2 bca', 't#3 cab'])
})

test('asks a choice once in every order if there are fewer orders than --permute allows', () => {
  const lines = listOrders(threeLabels, 100)
  const orders = lines.map((line) => line.split(' ')[1])
  // 3! = 6
  assert.is(orders.length, 6)
  assert.is(new Set(orders).size, 6)
})

test('asks a choice in the same orders in every run', () => {
  assert.equal(listOrders(threeLabels, 100), listOrders(threeLabels, 100))
})

test('does not permute other types, and gives extra questions unused ids', () => {
  const questions = {
    n: { type: 'noul' },
    't#2': { type: 'noul' },
    t: createChoice('a', 'b'),
  } as const
  assert.equal(listOrders(questions, 2), ['n ', 't#2 ', 't ab', 't#2# ba'])
})

test('refuses more than 720 questions', () => {
  const choice = createChoice('a', 'b', 'c', 'd', 'e')
  const sevenQuestions = Array.from({ length: 7 }, (_, i) => [`q${i}`, choice] as const)
  // 7 * 120 = 840, 7 * 100 = 700
  const refused = permuteChoices(sevenQuestions, 120)
  assert.equal(refused, {
    _tag: 'Left',
    left: {
      _tag: 'Usage',
      message: '--permute 120 makes 840 questions of one request: at most 720',
    },
  })
  assert.ok(E.isRight(permuteChoices(sevenQuestions, 100)))
})

/** Formats an answer with the probabilities of the labels `a`, `b` and `c`. */
const formatAnswer = (label: string, a: number, b: number, c: number) =>
  `{"type":"choice","choice":"${label}","confidence":0.5,"probabilities":{"b":${b},"a":${a},"c":${c}}}`

/** Combines the answers to three orders, and returns all answers as svc prints them. */
const combineAndFormat = (answers: string): string => {
  const { combineAnswers } = permuteOrThrow({ ...threeLabels, n: { type: 'noul' } }, 3)
  const combined = encodeResponse(combineAnswers(createResponse(answers)))
  return encodeText(combined.answers ?? null)
}

test('answers with the mean probabilities, and reports how much the orders differ', () => {
  // The means are 1.5/3, 0.9/3 and 0.6/3, and the confidence is (3 * 0.5 - 1) / 2. Label a has from 0.3 to 0.7.
  const noul = '"n":{"type":"noul","noul":0.50}'
  const answers = `{${noul},"t#2":${formatAnswer('b', 0.3, 0.5, 0.2)},"t":${formatAnswer('a', 0.7, 0.2, 0.1)},"t#3":${formatAnswer('a', 0.5, 0.2, 0.3)}}`
  assert.is(
    combineAndFormat(answers),
    `{${noul},"t":{"type":"choice","choice":"a","confidence":0.25,"probabilities":{"a":0.5,"b":0.3,"c":0.2},"orders":{"n":3,"spread":0.4,"flips":1}}}`,
  )
})

test('chooses the first of equally likely labels', () => {
  const answers = `{"t":${formatAnswer('b', 0.4, 0.4, 0.2)},"t#2":${formatAnswer('b', 0.4, 0.4, 0.2)},"t#3":${formatAnswer('b', 0.4, 0.4, 0.2)}}`
  // The confidence is (3 * 0.4 - 1) / 2.
  assert.match(combineAndFormat(answers), '"choice":"a","confidence":0.1,')
  assert.match(combineAndFormat(answers), '"orders":{"n":3,"spread":0,"flips":3}')
})

test('never has a confidence below 0', () => {
  // With rounding errors, the mean of each label may be less than a third.
  const answers = `{"t":${formatAnswer('a', 0.3334, 0.3333, 0.3333)},"t#2":${formatAnswer('a', 0.3333, 0.3334, 0.3333)},"t#3":${formatAnswer('a', 0.3333, 0.3333, 0.3334)}}`
  assert.match(combineAndFormat(answers), '"choice":"a","confidence":0,')
})

test('keeps the answer to the original order if the answer to an order lacks probabilities', () => {
  const withoutProbabilities = '{"type":"choice","choice":"b","confidence":0.50,"probabilities":{}}'
  const full = formatAnswer('a', 0.7, 0.2, 0.1)
  const answersToFurtherOrders = [
    `"t#2":${full},"t#3":${withoutProbabilities}`,
    `"t#2":${full}`,
    `"t#2":{"type":"noul","noul":1},"t#3":${full}`,
  ]
  for (const furtherAnswers of answersToFurtherOrders)
    assert.match(combineAndFormat(`{"t":${full},${furtherAnswers}}`), `{"t":${full}}`)
  assert.match(
    combineAndFormat(`{"t":${withoutProbabilities},"t#2":${full},"t#3":${full}}`),
    `{"t":${withoutProbabilities}}`,
  )
})

test.run()
