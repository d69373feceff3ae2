/**
 * The method by which svc reads an answer from a language model. The prompt gives each option a letter and asks for the best one. The
 * model's probabilities of the letters, as the next token, are the answer. Options are asked in several orders (rotations) to cancel a
 * bias for letters. If there are too many options for one prompt, they are asked in blocks and then in a final (rounds).
 */
import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import { engineFailed } from '../../../lib/service/contract/problem'
import {
  type Candidate,
  getLetter,
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

/** Reads the probabilities of the first `count` letters. `letterProbability` is the total probability of all listed letters. */
const readProbabilities = (candidates: ReadonlyArray<Candidate>, count: number) => {
  const readout = readLetters(candidates, count)
  assert.ok(E.isRight(readout), JSON.stringify(readout))
  const { logprobs, letterProbability } = readout.right
  return { probabilities: softmax(logprobs, 1), logprobs, letterProbability }
}

const assertNear = (actual: number | undefined, expected: number): void =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-9, `${actual} is not ${expected}`)

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

/** Lists the whole numbers from 0 to `count - 1`: the options of a question. */
const listOptions = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => i)

test('divides the probability of the letters among them, without that of other words', () => {
  const candidates = createCandidates(['A', 0.6], ['B', 0.2], ['The', 0.2])
  const { probabilities, letterProbability } = readProbabilities(candidates, 2)
  // The letters have 0.6 + 0.2 = 0.8 in all.
  assertNear(probabilities[0], 0.75)
  assertNear(probabilities[1], 0.25)
  assertNear(letterProbability, 0.8)
})

for (const spelling of [' A', 'a', ' a', '▁A', 'ĠA', 'A:', 'A.', '"A', '(A)', '**A', '\nA', 'A '])
  test(`reads ${JSON.stringify(spelling)} as A`, () => {
    const candidates = createCandidates(['B', 0.5], [spelling, 0.3], ['A', 0.2])
    // Both spellings of A together are as likely as B.
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
  const { probabilities, letterProbability } = readProbabilities(candidates, 3)
  // C gets 0.01, as the least likely listed token, so the letters have 0.5 + 0.01 + 0.01 in all.
  assertNear(probabilities[2], 0.01 / 0.52)
  // The estimate for C does not count.
  assertNear(letterProbability, 0.51)
})

test('estimates missing letters by an equal share of the remaining probability, if that is smaller', () => {
  const candidates = createCandidates(['A', 0.5], ['The', 0.25], ['B', 0.2], ['So', 0.04])
  const { probabilities } = readProbabilities(candidates, 4)
  // 0.01 remains for C and D: 0.005 for each. The letters then have 0.5 + 0.2 + 0.01 in all.
  assertNear(probabilities[2], 0.005 / 0.71)
  assertNear(probabilities[3], 0.005 / 0.71)
})

for (const { server, logprob } of [
  { server: 'vLLM', logprob: -9999 },
  { server: 'llama.cpp', logprob: -3.4028234663852886e38 },
] as const)
  test(`reads the log-probability of ${server} for the probability 0`, () => {
    const candidates = [...createCandidates(['A', 1]), { token: 'B', logprob }]
    assert.deepEqual(readProbabilities(candidates, 2).probabilities, [1, 0])
  })

const unusableLists: ReadonlyArray<{
  readonly title: string
  readonly candidates: ReadonlyArray<Candidate>
  readonly message: RegExp
}> = [
  {
    title: 'a probability above 1',
    candidates: [{ token: 'A', logprob: 17.5 }, ...createCandidates(['B', 0.1])],
    message: /no logarithms/,
  },
  {
    title: 'a log-probability that is not a number',
    candidates: [{ token: 'A', logprob: Number.NaN }, ...createCandidates(['B', 0.1])],
    message: /no logarithms/,
  },
  {
    title: 'probabilities with a sum above 1',
    candidates: createCandidates(['A', 0.9], ['B', 0.8]),
    message: /no logarithms/,
  },
  {
    title: 'fewer tokens than options',
    candidates: createCandidates(['A', 0.9]),
    message: /listed 1 likely tokens for 2 options/,
  },
]

for (const { title, candidates, message } of unusableLists)
  test(`refuses a list with ${title}`, () => {
    const readout = readLetters(candidates, 2)
    assert.ok(E.isLeft(readout))
    assert.match(readout.left, message)
  })

test('a temperature above 1 flattens the probabilities, one below 1 sharpens them', () => {
  const { logprobs } = readProbabilities(createCandidates(['A', 0.8], ['B', 0.2]), 2)
  // The odds 4 : 1 become 2 : 1 (square root) and 16 : 1 (square).
  assertNear(softmax(logprobs, 2)[0], 2 / 3)
  assertNear(softmax(logprobs, 0.5)[0], 16 / 17)
})

/** With a fixed seed, a failure can be repeated. */
const propertyOptions = { seed: 6 }

/** Generates weights of options. The probability of an option is proportional to its weight. */
const anyWeights = (minLength: number, maxLength: number) =>
  fc.array(fc.integer({ min: 1, max: 1000 }), { minLength, maxLength })

/** The weight of all tokens that are not letters. */
const otherWeight = 100

/** Creates a list of letters. A letter's probability is its weight divided by `total`, the weight of all tokens together. */
const createWeightedLetters = (
  weights: ReadonlyArray<number>,
  total: number,
): ReadonlyArray<Candidate> =>
  createCandidates(...weights.map((weight, i) => [getLetter(i), weight / total] as const))

test('property: the probabilities sum to 1 at any temperature', () => {
  const anyTemperature = fc.double({ min: 0.1, max: 5, noNaN: true })
  fc.assert(
    fc.property(anyWeights(2, 20), anyTemperature, (weights, temperature) => {
      const candidates = createWeightedLetters(weights, sum(weights) + otherWeight)
      const { logprobs } = readProbabilities(candidates, weights.length)
      assertNear(sum(softmax(logprobs, temperature)), 1)
    }),
    propertyOptions,
  )
})

test('property: raising the listed probability of a letter never lowers the probability of its option', () => {
  fc.assert(
    fc.property(anyWeights(2, 20), ([first = 1, ...others]) => {
      const total = sum([first, ...others]) + otherWeight
      const count = others.length + 1
      const readFirst = (weights: ReadonlyArray<number>): number => {
        const { probabilities } = readProbabilities(createWeightedLetters(weights, total), count)
        assert.ok(probabilities[0] !== undefined)
        return probabilities[0]
      }
      // The first letter gets half of the weight of the other tokens, so the total stays the same.
      const raisedFirst = first + otherWeight / 2
      assert.ok(readFirst([raisedFirst, ...others]) >= readFirst([first, ...others]))
    }),
    propertyOptions,
  )
})

const anyOptionCount = fc.integer({ min: 2, max: 20 })
const anyRotationCount = fc.integer({ min: 1, max: 25 })

test('property: rotations begin with different options', () => {
  fc.assert(
    fc.property(anyOptionCount, anyRotationCount, (optionCount, rotationCount) => {
      const orders = rotateOptions(listOptions(optionCount), rotationCount)
      assert.equal(orders.length, Math.min(optionCount, rotationCount))
      const firstOptions = new Set(orders.map(([first]) => first))
      assert.equal(firstOptions.size, orders.length)
    }),
    propertyOptions,
  )
})

test('property: the mean of a rotated distribution is the original distribution', () => {
  fc.assert(
    fc.property(anyOptionCount, anyRotationCount, (optionCount, rotationCount) => {
      const options = listOptions(optionCount)
      const weights = options.map((option) => option + 1)
      const distribution = weights.map((weight) => weight / sum(weights))
      const orders = rotateOptions(options, rotationCount)
      const rotated = orders.map((order) => order.map((option) => distribution[option] ?? 0))
      for (const [option, mean] of averageRotations(rotated).entries())
        assertNear(mean, distribution[option] ?? 0)
    }),
    propertyOptions,
  )
})

test('as many rotations as options cancel a bias for letters', () => {
  const bias = [0.7, 0.2, 0.1]
  const biased = rotateOptions(['a', 'b', 'c'], 3).map(() => bias)
  for (const mean of averageRotations(biased)) assertNear(mean, 1 / 3)
})

/** Asks about weighted options in rounds. Returns the distribution, and the number of options in each prompt. */
const askWeightedOptions = async (weights: ReadonlyArray<number>, maxOptions: number) => {
  const promptSizes: number[] = []
  const askByWeight = (options: ReadonlyArray<number>) => {
    promptSizes.push(options.length)
    const optionWeights = options.map((option) => weights[option] ?? 0)
    return TE.right(optionWeights.map((weight) => weight / sum(optionWeights)))
  }
  const result = await askInRounds(listOptions(weights.length), maxOptions, askByWeight)()
  assert.ok(E.isRight(result))
  return { distribution: result.right, promptSizes }
}

const anyMaxOptions = fc.constantFrom(5, maxLetters)
const roundOptions = { ...propertyOptions, numRuns: 100 }

test('property: rounds give the result of one prompt with all options', () =>
  fc.assert(
    fc.asyncProperty(anyWeights(1, 255), anyMaxOptions, async (weights, maxOptions) => {
      const { distribution } = await askWeightedOptions(weights, maxOptions)
      assert.equal(distribution.length, weights.length)
      for (const [option, probability] of distribution.entries())
        assertNear(probability, (weights[option] ?? 0) / sum(weights))
    }),
    roundOptions,
  ))

test('property: a prompt of a round has two to maxOptions options', () =>
  fc.assert(
    fc.asyncProperty(anyWeights(1, 255), anyMaxOptions, async (weights, maxOptions) => {
      const { promptSizes } = await askWeightedOptions(weights, maxOptions)
      assert.ok(promptSizes.every((size) => size >= 2 && size <= maxOptions))
    }),
    roundOptions,
  ))

test('property: rounds take few more prompts than there are blocks', () =>
  fc.assert(
    fc.asyncProperty(anyWeights(1, 255), anyMaxOptions, async (weights, maxOptions) => {
      const { promptSizes } = await askWeightedOptions(weights, maxOptions)
      const blocks = Math.ceil(weights.length / maxOptions)
      // 255 options form 51 blocks of 5. The best options of the blocks then take 11, 3 and 1 more prompts: 66 in all, of at most 70.
      const maxPrompts = blocks > 1 ? 1.3 * blocks + 4 : 1
      assert.ok(promptSizes.length <= maxPrompts, `${promptSizes.length} prompts`)
    }),
    roundOptions,
  ))

test('the best of many options wins, even if the favorites of other blocks are clearer', async () => {
  const best = 137
  const askWithFavorite = (options: ReadonlyArray<number>) => {
    const hasBest = options.includes(best)
    const favorite = hasBest ? best : options[0]
    const favoriteProbability = hasBest ? 0.95 : 0.99
    const otherProbability = (1 - favoriteProbability) / (options.length - 1)
    return TE.right(
      options.map((option) => (option === favorite ? favoriteProbability : otherProbability)),
    )
  }
  const distribution = await askInRounds(listOptions(255), 20, askWithFavorite)()
  assert.ok(E.isRight(distribution))
  assert.equal(distribution.right.indexOf(Math.max(...distribution.right)), best)
  assert.ok((distribution.right[best] ?? 0) > 0.9)
})

test('rounds fail if one of their prompts fails', async () => {
  const failOnOption30 = (options: ReadonlyArray<number>) =>
    options.includes(30)
      ? TE.left(engineFailed('connection lost'))
      : TE.right(options.map(() => 1 / options.length))
  const result = await askInRounds(listOptions(60), 20, failOnOption30)()
  assert.deepEqual(result, E.left(engineFailed('connection lost')))
})

test.run()
