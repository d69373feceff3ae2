import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { itemsIn, type JsonValue } from '../../lib/codec/json/json'
import { parseText } from '../../lib/codec/json/parse'
import { computeChoiceConfidence, computeScoreConfidence } from '../../lib/codec/probabilities'
import type { Distribution, EngineQuestion } from '../../lib/service/contract/engine'
import { deriveAnswer, roundProbabilities } from '../../lib/service/http/derive-answer'
import * as fc from '../support/fast-check'

const test = suite('service: answers derived from distributions')

const parseLevels = (text: string): ReadonlyArray<JsonValue> => {
  const parseResult = parseText(text)
  if (E.isLeft(parseResult)) throw new Error(parseResult.left.message)
  return itemsIn(parseResult.right)
}

/** Derives the answer as JSON text, or returns `refused` for an invalid distribution. */
const deriveText = (question: EngineQuestion, distribution: Distribution): string => {
  const answer = deriveAnswer(question, distribution)
  return answer === undefined ? 'refused' : encode(answer).toString()
}

const createChoice = (...labels: ReadonlyArray<string>): EngineQuestion => ({
  type: 'choice',
  criteria: labels.map((label) => [label, null]),
})

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

const anyDistribution = fc
  .array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { minLength: 1, maxLength: 255 })
  .map((weights) => weights.map((weight) => weight / sum(weights)))

/** Rounds probabilities. Returns each with its rounded value. */
const roundEach = (exactProbabilities: ReadonlyArray<number>) => {
  const roundedProbabilities = roundProbabilities(exactProbabilities)
  assert.is(roundedProbabilities.length, exactProbabilities.length)
  return exactProbabilities.map((exact, i) => ({
    exact,
    rounded: roundedProbabilities[i] as number,
  }))
}

const propertyOptions = { numRuns: 200, seed: 41 }

test('property: rounded probabilities have four decimal places, and sum to 1', () => {
  fc.assert(
    fc.property(anyDistribution, (probabilities) => {
      // `toFixed` removes the error of the multiplication.
      const units = roundProbabilities(probabilities).map((rounded) =>
        Number((rounded * 10_000).toFixed(6)),
      )
      assert.ok(units.every(Number.isInteger))
      assert.is(sum(units), 10_000)
    }),
    propertyOptions,
  )
})

test('property: a rounded probability differs from the exact one by at most 0.0001', () => {
  fc.assert(
    fc.property(anyDistribution, (probabilities) => {
      // The limit is a little higher, because of errors of floating-point numbers.
      for (const { exact, rounded } of roundEach(probabilities))
        assert.ok(Math.abs(rounded - exact) <= 1.0001e-4)
    }),
    propertyOptions,
  )
})

test('property: rounded probabilities keep their order', () => {
  fc.assert(
    fc.property(anyDistribution, (probabilities) => {
      const sortedByExact = roundEach(probabilities).sort((a, b) => b.exact - a.exact)
      const rounded = sortedByExact.map((pair) => pair.rounded)
      assert.equal(
        rounded,
        [...rounded].sort((a, b) => b - a),
      )
    }),
    propertyOptions,
  )
})

test('rounds the first of equal probabilities up', () => {
  assert.equal(roundProbabilities([1 / 3, 1 / 3, 1 / 3]), [0.3334, 0.3333, 0.3333])
  assert.equal(roundProbabilities([0.5, 0.5]), [0.5, 0.5])
  assert.equal(roundProbabilities([1, 0]), [1, 0])
})

test('the confidence of a choice is 1 for one certain label, and 0 for equally probable labels', () => {
  assert.is(computeChoiceConfidence(1, 1), 1)
  assert.is(computeChoiceConfidence(1, 3), 1)
  assert.is(computeChoiceConfidence(0.5, 2), 0)
  // (0.7 - 1/3) / (1 - 1/3)
  assert.is(Number(computeChoiceConfidence(0.7, 3).toFixed(6)), 0.55)
})

test('the confidence of a score is 1 for one certain level, and 0 for a spread over the whole scale', () => {
  assert.is(computeScoreConfidence([0, 1, 0]), 1)
  assert.is(computeScoreConfidence([0.5, 0.5]), 0)
  assert.is(computeScoreConfidence([0.5, 0, 0.5]), 0)
  // 1 - 0.1 / (2/3): the mean distance from the likeliest level is 0.1, and that of the levels from the middle of the scale is 2/3.
  assert.is(Number(computeScoreConfidence([0, 0.1, 0.9]).toFixed(6)), 0.85)
})

test('the answer to a yes/no question (noul) is the rounded probability of yes, at most 1', () => {
  assert.is(
    deriveText({ type: 'noul' }, { type: 'noul', yes: 0.98765 }),
    '{"type":"noul","noul":0.9877}',
  )
  assert.is(
    deriveText({ type: 'noul' }, { type: 'noul', yes: 1 + 1e-9 }),
    '{"type":"noul","noul":1}',
  )
})

test('a choice has the probabilities of its labels in their order', () => {
  const question = createChoice('10', '__proto__', 'a"b')
  const probabilities = '{"10":0.2,"__proto__":0.5,"a\\"b":0.3}'
  assert.is(
    deriveText(question, { type: 'choice', probabilities: [0.2, 0.5, 0.3] }),
    `{"type":"choice","choice":"__proto__","confidence":0.25,"probabilities":${probabilities}}`,
  )
})

test('a score has its levels unchanged in the legend', () => {
  const question = {
    type: 'score',
    criteria: parseLevels('["low", {"n": 1.0,"e":1e400}]'),
  } as const
  const legend = '{"0":"low","1":{"n":1.0,"e":1e400}}'
  const probabilities = '{"0":0.25,"1":0.75}'
  assert.is(
    deriveText(question, { type: 'score', probabilities: [0.25, 0.75] }),
    `{"type":"score","score":0.75,"confidence":0.5,"legend":${legend},"probabilities":${probabilities}}`,
  )
})

const twoLabels = createChoice('a', 'b')

const invalidDistributions: ReadonlyArray<{
  readonly title: string
  readonly question: EngineQuestion
  readonly distribution: Distribution
}> = [
  {
    title: 'too few probabilities',
    question: twoLabels,
    distribution: { type: 'choice', probabilities: [1] },
  },
  {
    title: 'too many probabilities',
    question: twoLabels,
    distribution: { type: 'choice', probabilities: [0.3, 0.3, 0.4] },
  },
  {
    title: 'a sum below 1',
    question: twoLabels,
    distribution: { type: 'choice', probabilities: [0.5, 0.4] },
  },
  {
    title: 'a sum above 1',
    question: twoLabels,
    distribution: { type: 'choice', probabilities: [0.7, 0.7] },
  },
  {
    title: 'NaN',
    question: twoLabels,
    distribution: { type: 'choice', probabilities: [Number.NaN, 1] },
  },
  {
    title: 'a negative probability',
    question: twoLabels,
    distribution: { type: 'choice', probabilities: [2, -1] },
  },
  {
    title: 'another type',
    question: twoLabels,
    distribution: { type: 'score', probabilities: [1, 0] },
  },
  {
    title: 'NaN for yes',
    question: { type: 'noul' },
    distribution: { type: 'noul', yes: Number.NaN },
  },
]

for (const { title, question, distribution } of invalidDistributions)
  test(`refuses a distribution with ${title}`, () => {
    assert.is(deriveText(question, distribution), 'refused')
  })

test.run()
