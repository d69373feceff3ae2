import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { permuteChoices } from '../../../lib/client/ask/permute-choices'
import { print } from '../../../lib/codec/json/draft'
import type { RequestQuestion } from '../../../lib/codec/question'
import { encodeResponse } from '../../../lib/codec/response'
import { createResponse } from '../../runs/record/records'

const test = suite('ask/permute-choices')

const createChoice = (...labels: ReadonlyArray<string>): RequestQuestion => ({
  type: 'choice',
  criteria: labels.map((label) => [label, null] as const),
})

const permuteOrThrow = (questions: Readonly<Record<string, RequestQuestion>>, n?: number) => {
  const result = permuteChoices(Object.entries(questions), n)
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

const listOrders = (questions: ReturnType<typeof permuteOrThrow>['questions']) =>
  questions.map(([id, question]) => {
    const labels = question.type === 'choice' ? (question.criteria ?? []) : []
    return `${id} ${labels.map(([label]) => label).join('')}`
  })

test('asks a choice in the given order, then in rotations, then in shuffles, without duplicates', () => {
  assert.equal(listOrders(permuteOrThrow({ t: createChoice('a', 'b', 'c') }, 3).questions), [
    't abc',
    't#2 bca',
    't#3 cab',
  ])
  const all = listOrders(permuteOrThrow({ t: createChoice('a', 'b', 'c') }, 100).questions)
  assert.is(all.length, 6)
  assert.is(new Set(all.map((line) => line.split(' ')[1])).size, 6)
  assert.equal(all, listOrders(permuteOrThrow({ t: createChoice('a', 'b', 'c') }, 100).questions))
  assert.equal(listOrders(permuteOrThrow({ t: createChoice('a', 'b', 'c') }, 1).questions), [
    't abc',
  ])
})

test('does not permute other types, and gives extra questions unused ids', () => {
  const questions = {
    n: { type: 'noul' },
    't#2': { type: 'noul' },
    t: createChoice('a', 'b'),
  } as const
  assert.equal(listOrders(permuteOrThrow(questions, 2).questions), [
    'n ',
    't#2 ',
    't ab',
    't#2# ba',
  ])
})

test('refuses more than 720 questions', () => {
  const many = Object.fromEntries(
    Array.from({ length: 7 }, (_, i) => [`q${i}`, createChoice('a', 'b', 'c', 'd', 'e')]),
  )
  const refused = permuteChoices(Object.entries(many), 120)
  assert.equal(refused, {
    _tag: 'Left',
    left: {
      _tag: 'Usage',
      message: '--permute 120 makes 840 questions of one request: at most 720',
    },
  })
  assert.ok(E.isRight(permuteChoices(Object.entries(many), 100)))
})

const formatAnswer = (label: string, a: number, b: number, c: number) =>
  `{"type":"choice","choice":"${label}","confidence":0.5,"probabilities":{"b":${b},"a":${a},"c":${c}}}`

const combineAndFormat = (answers: string, n = 3) => {
  const { combineAnswers } = permuteOrThrow(
    { t: createChoice('a', 'b', 'c'), n: { type: 'noul' } },
    n,
  )
  const printed = print(encodeResponse(combineAnswers(createResponse(answers))), false).toString()
  return printed.slice(printed.indexOf('"answers":') + 10, printed.indexOf(',"usage"'))
}

test('answers with the mean probabilities, and reports how much the orders differ', () => {
  const noul = '"n":{"type":"noul","noul":0.50}'
  const answers = `{${noul},"t#2":${formatAnswer('b', 0.3, 0.5, 0.2)},"t":${formatAnswer('a', 0.7, 0.2, 0.1)},"t#3":${formatAnswer('a', 0.5, 0.2, 0.3)}}`
  assert.is(
    combineAndFormat(answers),
    `{${noul},"t":{"type":"choice","choice":"a","confidence":0.25,"probabilities":{"a":0.5,"b":0.3,"c":0.2},"orders":{"n":3,"spread":0.4,"flips":1}}}`,
  )
})

test('chooses the first of equally likely labels', () => {
  const answers = `{"t":${formatAnswer('b', 0.4, 0.4, 0.2)},"t#2":${formatAnswer('b', 0.4, 0.4, 0.2)},"t#3":${formatAnswer('b', 0.4, 0.4, 0.2)}}`
  assert.match(combineAndFormat(answers), '"choice":"a","confidence":0.1,')
  assert.match(combineAndFormat(answers), '"orders":{"n":3,"spread":0,"flips":3}')
})

test('has confidence 0 if all labels are equally likely, never less', () => {
  const third = (a: number, b: number, c: number) => formatAnswer('a', a, b, c)
  const answers = `{"t":${third(0.3334, 0.3333, 0.3333)},"t#2":${third(0.3333, 0.3334, 0.3333)},"t#3":${third(0.3333, 0.3333, 0.3334)}}`
  assert.match(combineAndFormat(answers), '"choice":"a","confidence":0,')
})

test('keeps the answer to the original order if an order has no probabilities', () => {
  const withoutProbabilities = '{"type":"choice","choice":"b","confidence":0.50,"probabilities":{}}'
  const full = formatAnswer('a', 0.7, 0.2, 0.1)
  for (const others of [
    `"t#2":${full},"t#3":${withoutProbabilities}`,
    `"t#2":${full}`,
    `"t#2":{"type":"noul","noul":1},"t#3":${full}`,
  ])
    assert.match(combineAndFormat(`{"t":${full},${others}}`), `{"t":${full}}`)
  assert.match(
    combineAndFormat(`{"t":${withoutProbabilities},"t#2":${full},"t#3":${full}}`),
    `{"t":${withoutProbabilities}}`,
  )
})

test.run()
