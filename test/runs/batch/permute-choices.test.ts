import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import type { RequestQuestion } from '../../../lib/codec/question'
import { encodeResponse } from '../../../lib/codec/response'
import { usage } from '../../../lib/failure/failure'
import { permuteChoices } from '../../../lib/runs/batch/permute-choices'
import { createResponse } from '../record/records'

/**
 * With --permute, svc asks a choice several times in one request, each time with its labels in another order, and combines the answers.
 * The combined answer reports the number of orders as `n`, the largest range of a label's probability as `spread`, and the number of
 * orders with another choice as `flips`.
 */
const test = suite('runs/batch/permute-choices')

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

/** Permutes questions, and lists the questions that are sent: each id with its labels in their order, such as `team#2 bca`. */
const listOrders = (
  questions: Readonly<Record<string, RequestQuestion>>,
  maxOrders: number,
): ReadonlyArray<string> =>
  permuteOrThrow(questions, maxOrders).questions.map(([id, question]) => {
    const labels = question.type === 'choice' ? (question.criteria ?? []) : []
    return `${id} ${labels.map(([label]) => label).join('')}`
  })

const teamQuestion = { team: createChoice('a', 'b', 'c') }

test('asks a choice in the given order, then in rotations', () => {
  assert.equal(listOrders(teamQuestion, 1), ['team abc'])
  assert.equal(listOrders(teamQuestion, 3), ['team abc', 'team#2 bca', 'team#3 cab'])
})

test('asks a choice once in every order if there are fewer orders than --permute allows', () => {
  const lines = listOrders(teamQuestion, 100)
  const orders = lines.map((line) => line.split(' ')[1])
  // 3! = 6
  assert.is(orders.length, 6)
  assert.is(new Set(orders).size, 6)
})

test('asks a choice in the same orders in every run', () => {
  assert.equal(listOrders(teamQuestion, 100), listOrders(teamQuestion, 100))
})

test('does not permute other types, and gives extra questions unused ids', () => {
  // svc's word for a yes/no question is `noul`.
  const questions = {
    isBug: { type: 'noul' },
    'team#2': { type: 'noul' },
    team: createChoice('a', 'b'),
  } as const
  assert.equal(listOrders(questions, 2), ['isBug ', 'team#2 ', 'team ab', 'team#2# ba'])
})

test('refuses more than 720 questions', () => {
  const choice = createChoice('a', 'b', 'c', 'd', 'e')
  const sevenQuestions = Array.from({ length: 7 }, (_, i) => [`q${i}`, choice] as const)
  // 7 * 120 = 840, 7 * 100 = 700
  const refused = permuteChoices(sevenQuestions, 120)
  const message = '--permute 120 makes 840 questions of one request: at most 720'
  assert.equal(refused, E.left(usage(message)))
  assert.ok(E.isRight(permuteChoices(sevenQuestions, 100)))
})

/** Formats an answer with the probabilities of the labels `a`, `b` and `c`. */
const formatAnswer = (label: string, a: number, b: number, c: number) =>
  `{"type":"choice","choice":"${label}","confidence":0.5,"probabilities":{"b":${b},"a":${a},"c":${c}}}`

/** Formats the answers to `teamQuestion` in three orders. */
const formatAnswers = (first: string, second: string, third: string): string =>
  `{"team":${first},"team#2":${second},"team#3":${third}}`

/** Combines the answers to three orders of `teamQuestion`, and returns all answers as svc prints them. */
const combineAndFormat = (answers: string): string => {
  const { combineAnswers } = permuteOrThrow({ ...teamQuestion, isBug: { type: 'noul' } }, 3)
  const combined = encodeResponse(combineAnswers(createResponse(answers)))
  return encodeText(combined.answers ?? null)
}

test('answers with the mean probabilities, and reports how much the orders differ', () => {
  // The means are 1.5/3, 0.9/3 and 0.6/3, and the confidence is (3 * 0.5 - 1) / 2. Label a has from 0.3 to 0.7.
  const isBug = '"isBug":{"type":"noul","noul":0.50}'
  const first = formatAnswer('a', 0.7, 0.2, 0.1)
  const second = formatAnswer('b', 0.3, 0.5, 0.2)
  const third = formatAnswer('a', 0.5, 0.2, 0.3)
  const combined = combineAndFormat(
    `{${isBug},"team#2":${second},"team":${first},"team#3":${third}}`,
  )
  const probabilities = '"probabilities":{"a":0.5,"b":0.3,"c":0.2}'
  const orders = '"orders":{"n":3,"spread":0.4,"flips":1}'
  assert.is(
    combined,
    `{${isBug},"team":{"type":"choice","choice":"a","confidence":0.25,${probabilities},${orders}}}`,
  )
})

test('chooses the first of equally likely labels', () => {
  const answer = formatAnswer('b', 0.4, 0.4, 0.2)
  const combined = combineAndFormat(formatAnswers(answer, answer, answer))
  // The confidence is (3 * 0.4 - 1) / 2.
  assert.match(combined, '"choice":"a","confidence":0.1,')
  assert.match(combined, '"orders":{"n":3,"spread":0,"flips":3}')
})

test('never has a confidence below 0', () => {
  // With rounding errors, the mean of each label may be less than a third.
  const answers = formatAnswers(
    formatAnswer('a', 0.3334, 0.3333, 0.3333),
    formatAnswer('a', 0.3333, 0.3334, 0.3333),
    formatAnswer('a', 0.3333, 0.3333, 0.3334),
  )
  assert.match(combineAndFormat(answers), '"choice":"a","confidence":0,')
})

test('keeps the answer to the original order if the answer to an order lacks probabilities', () => {
  const withoutProbabilities = '{"type":"choice","choice":"b","confidence":0.50,"probabilities":{}}'
  const full = formatAnswer('a', 0.7, 0.2, 0.1)
  const answersToFurtherOrders = [
    `"team#2":${full},"team#3":${withoutProbabilities}`,
    `"team#2":${full}`,
    `"team#2":{"type":"noul","noul":1},"team#3":${full}`,
  ]
  for (const furtherAnswers of answersToFurtherOrders)
    assert.match(combineAndFormat(`{"team":${full},${furtherAnswers}}`), `{"team":${full}}`)
  assert.match(
    combineAndFormat(formatAnswers(withoutProbabilities, full, full)),
    `{"team":${withoutProbabilities}}`,
  )
})

test.run()
