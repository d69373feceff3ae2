import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import { engineFailed } from '../../../lib/service/contract/problem'
import {
  type Candidate,
  maxLetters,
  readLetters,
} from '../../../lib/service/engines/readout/letters'
import { softmax } from '../../../lib/service/engines/readout/read-distribution'
import { averageRotations, rotateOptions } from '../../../lib/service/engines/readout/rotations'
import { askInRounds } from '../../../lib/service/engines/readout/rounds'
import * as fc from '../../support/fast-check'

const test = suite('answers by letters')

/** Creates candidates from tokens and their probabilities. */
const createCandidates = (
  ...entries: ReadonlyArray<readonly [token: string, probability: number]>
): ReadonlyArray<Candidate> =>
  entries.map(([token, probability]) => ({ token, logprob: Math.log(probability) }))

/** Reads the probabilities of the first `count` letters, and their total before the softmax. */
const readProbabilities = (candidates: ReadonlyArray<Candidate>, count: number) => {
  const readout = readLetters(candidates, count)
  assert.ok(E.isRight(readout), JSON.stringify(readout))
  const { logprobs, mass } = readout.right
  return { probabilities: softmax(logprobs, 1), logprobs, mass }
}

const assertNear = (actual: number | undefined, expected: number): void =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-9, `${actual} is not ${expected}`)

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

const countUpTo = (size: number): ReadonlyArray<number> => Array.from({ length: size }, (_, i) => i)

test('divides the probability of the letters among them, without that of other words', () => {
  const candidates = createCandidates(['A', 0.6], ['B', 0.2], ['The', 0.2])
  const { probabilities, mass } = readProbabilities(candidates, 2)
  assertNear(probabilities[0], 0.75)
  assertNear(probabilities[1], 0.25)
  assertNear(mass, 0.8)
})

for (const spelling of [' A', 'a', ' a', '▁A', 'ĠA', 'A:', 'A.', '"A', '(A)', '**A', '\nA', 'A '])
  test(`reads ${JSON.stringify(spelling)} as A`, () => {
    const candidates = createCandidates(['B', 0.5], [spelling, 0.3], ['A', 0.2])
    assertNear(readProbabilities(candidates, 2).probabilities[0], 0.5)
  })

const cyrillicA = '\u0410'

for (const token of ['An', 'AB', 'A1', '1', '', '-', 'Á', cyrillicA, 'token_id:32', 'C'])
  test(`does not read ${JSON.stringify(token)} as A or B`, () => {
    const candidates = createCandidates(['A', 0.4], ['B', 0.4], [token, 0.2])
    assertNear(readProbabilities(candidates, 2).probabilities[0], 0.5)
  })

test('reads the decoded bytes of a token that is not a letter itself', () => {
  const byteToken = { token: '<0x41>', decodedText: 'A', logprob: Math.log(0.9) }
  const candidates = [byteToken, ...createCandidates(['B', 0.1])]
  assertNear(readProbabilities(candidates, 2).probabilities[0], 0.9)
})

test('estimates a missing letter by the least likely listed token', () => {
  const candidates = createCandidates(['A', 0.5], ['The', 0.3], ['B', 0.01])
  const { probabilities, mass } = readProbabilities(candidates, 3)
  assertNear(probabilities[2], 0.01 / 0.52)
  assertNear(mass, 0.51)
})

test('estimates missing letters by an equal share of the remaining probability, if that is smaller', () => {
  const candidates = createCandidates(['A', 0.5], ['The', 0.25], ['B', 0.2], ['So', 0.04])
  const { probabilities } = readProbabilities(candidates, 4)
  assertNear(probabilities[2], 0.005 / 0.71)
  assertNear(probabilities[3], 0.005 / 0.71)
})

for (const [server, logprob] of [
  ['vLLM', -9999],
  ['llama.cpp', -3.4028234663852886e38],
] as const)
  test(`reads the log-probability of ${server} for the probability 0`, () => {
    const candidates = [...createCandidates(['A', 1]), { token: 'B', logprob }]
    assert.deepEqual(readProbabilities(candidates, 2).probabilities, [1, 0])
  })

const unusableLists: ReadonlyArray<
  readonly [title: string, candidates: ReadonlyArray<Candidate>, message: RegExp]
> = [
  [
    'a probability above 1',
    [{ token: 'A', logprob: 17.5 }, ...createCandidates(['B', 0.1])],
    /no logarithms/,
  ],
  [
    'a log-probability that is not a number',
    [{ token: 'A', logprob: Number.NaN }, ...createCandidates(['B', 0.1])],
    /no logarithms/,
  ],
  ['probabilities with a sum above 1', createCandidates(['A', 0.9], ['B', 0.8]), /no logarithms/],
  [
    'fewer tokens than options',
    createCandidates(['A', 0.9]),
    /listed 1 likely tokens for 2 options/,
  ],
]

for (const [title, candidates, message] of unusableLists)
  test(`refuses a list with ${title}`, () => {
    const readout = readLetters(candidates, 2)
    assert.ok(E.isLeft(readout))
    assert.match(readout.left, message)
  })

test('a temperature above 1 flattens the probabilities, one below 1 sharpens them', () => {
  const { logprobs } = readProbabilities(createCandidates(['A', 0.8], ['B', 0.2]), 2)
  assertNear(softmax(logprobs, 2)[0], 2 / 3)
  assertNear(softmax(logprobs, 0.5)[0], 16 / 17)
})

/** Weights of options. */
const anyWeights = (minLength: number, maxLength: number) =>
  fc.array(fc.integer({ min: 1, max: 1000 }), { minLength, maxLength })

/** Creates letters with probabilities in proportion to their weights, in a list with a total of less than 1. */
const createWeightedLetters = (
  weights: ReadonlyArray<number>,
  total: number,
): ReadonlyArray<Candidate> =>
  createCandidates(
    ...weights.map((weight, i) => [String.fromCharCode(0x41 + i), weight / total] as const),
  )

test('property: the probabilities sum to 1 at any temperature', () => {
  const anyTemperature = fc.double({ min: 0.1, max: 5, noNaN: true })
  fc.assert(
    fc.property(anyWeights(2, 20), anyTemperature, (weights, temperature) => {
      const candidates = createWeightedLetters(weights, sum(weights) + 100)
      const { logprobs } = readProbabilities(candidates, weights.length)
      assertNear(sum(softmax(logprobs, temperature)), 1)
    }),
    { seed: 6 },
  )
})

test('property: a letter with a higher listed probability never gets a lower one', () => {
  fc.assert(
    fc.property(anyWeights(2, 20), ([first = 1, ...others]) => {
      const total = sum([first, ...others]) + 100
      const count = others.length + 1
      const before = readProbabilities(createWeightedLetters([first, ...others], total), count)
      const after = readProbabilities(createWeightedLetters([first + 50, ...others], total), count)
      assert.ok((after.probabilities[0] ?? 0) >= (before.probabilities[0] ?? 1))
    }),
    { seed: 6 },
  )
})

test('property: rotations begin with different options, and their mean is the original distribution', () => {
  const anySize = fc.integer({ min: 2, max: 20 })
  const anyPermutations = fc.integer({ min: 1, max: 25 })
  fc.assert(
    fc.property(anySize, anyPermutations, (size, permutations) => {
      const options = countUpTo(size)
      const orders = rotateOptions(options, permutations)
      assert.equal(orders.length, Math.min(size, permutations))
      const firstOptions = new Set(orders.map(([first]) => first))
      assert.equal(firstOptions.size, orders.length)

      const weights = options.map((i) => i + 1)
      const distribution = weights.map((weight) => weight / sum(weights))
      const rotated = orders.map((order) => order.map((option) => distribution[option] ?? 0))
      for (const [i, mean] of averageRotations(rotated).entries())
        assertNear(mean, distribution[i] ?? 0)
    }),
    { seed: 6 },
  )
})

test('as many rotations as options cancel a bias for letters', () => {
  const bias = [0.7, 0.2, 0.1]
  const biased = rotateOptions(['a', 'b', 'c'], 3).map(() => bias)
  for (const mean of averageRotations(biased)) assertNear(mean, 1 / 3)
})

test('property: rounds give the result of one prompt with all options, within the maximum per prompt', async () => {
  const anyMaxOptions = fc.constantFrom(5, maxLetters)
  await fc.assert(
    fc.asyncProperty(anyWeights(1, 255), anyMaxOptions, async (weights, maxOptions) => {
      let prompts = 0
      const askByWeight = (options: ReadonlyArray<number>) => {
        prompts += 1
        assert.ok(options.length <= maxOptions && options.length > 1)
        const optionWeights = options.map((option) => weights[option] ?? 0)
        return TE.right(optionWeights.map((weight) => weight / sum(optionWeights)))
      }
      const distribution = await askInRounds(countUpTo(weights.length), maxOptions, askByWeight)()
      assert.ok(E.isRight(distribution))
      assert.equal(distribution.right.length, weights.length)
      for (const [i, probability] of distribution.right.entries())
        assertNear(probability, (weights[i] ?? 0) / sum(weights))
      const blocks = Math.ceil(weights.length / maxOptions)
      const maxPrompts = blocks > 1 ? 1.3 * blocks + 4 : 1
      assert.ok(prompts <= maxPrompts, `${prompts} prompts`)
    }),
    { numRuns: 100, seed: 6 },
  )
})

test('the best of many options wins, even if blocks without it have a clear favorite', async () => {
  const best = 137
  const askWithFavorite = (options: ReadonlyArray<number>) => {
    const hasBest = options.includes(best)
    const favorite = hasBest ? best : options[0]
    const favoriteShare = hasBest ? 0.95 : 0.99
    const otherShare = (1 - favoriteShare) / (options.length - 1)
    return TE.right(options.map((option) => (option === favorite ? favoriteShare : otherShare)))
  }
  const distribution = await askInRounds(countUpTo(255), 20, askWithFavorite)()
  assert.ok(E.isRight(distribution))
  assert.equal(distribution.right.indexOf(Math.max(...distribution.right)), best)
  assert.ok((distribution.right[best] ?? 0) > 0.9)
})

test('fails if one of the prompts fails', async () => {
  const failOnOption30 = (options: ReadonlyArray<number>) =>
    options.includes(30)
      ? TE.left(engineFailed('cut'))
      : TE.right(options.map(() => 1 / options.length))
  const result = await askInRounds(countUpTo(60), 20, failOnOption30)()
  assert.deepEqual(result, E.left(engineFailed('cut')))
})

test.run()
