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

const test = suite('letter readout')

const list = (...entries: ReadonlyArray<readonly [string, number]>): ReadonlyArray<Candidate> =>
  entries.map(([token, p]) => ({ token, logprob: Math.log(p) }))

const read = (candidates: ReadonlyArray<Candidate>, count: number) => {
  const readout = readLetters(candidates, count)
  assert.ok(E.isRight(readout))
  return { ...readout.right, p: softmax(readout.right.logprobs, 1) }
}
const near = (one: number | undefined, other: number) => {
  if (!(Math.abs((one ?? Number.NaN) - other) < 1e-9)) assert.equal(one, other)
}

test('leaves the words out of the softmax', () => {
  const { p, mass } = read(list(['A', 0.6], ['B', 0.2], ['The', 0.2]), 2)
  near(p[0], 0.75)
  near(p[1], 0.25)
  near(mass, 0.8)
})

for (const spelling of [' A', 'a', ' a', '▁A', 'ĠA', 'A:', 'A.', '"A', '(A)', '**A', '\nA', 'A ']) {
  test(`takes ${JSON.stringify(spelling)} for A`, () => {
    const { p } = read(list(['B', 0.5], [spelling, 0.3], ['A', 0.2]), 2)
    near(p[0], 0.5)
  })
}

for (const other of ['An', 'AB', 'A1', '1', '', '-', 'Á', 'А', 'token_id:32', 'C']) {
  test(`does not take ${JSON.stringify(other)} for A or B`, () => {
    near(read(list(['A', 0.4], ['B', 0.4], [other, 0.2]), 2).p[0], 0.5)
  })
}

test('uses the bytes if the token is not readable', () => {
  const candidates = [
    { token: '<0x41>', decodedText: 'A', logprob: Math.log(0.9) },
    ...list(['B', 0.1]),
  ]
  near(read(candidates, 2).p[0], 0.9)
})

test('bounds a missing letter by the smallest returned value', () => {
  const { p, mass } = read(list(['A', 0.5], ['The', 0.3], ['B', 0.01]), 3)
  near(p[2], 0.01 / 0.52)
  near(mass, 0.51)
})

test('also bounds missing letters by the probability that the list leaves', () => {
  const { p } = read(list(['A', 0.5], ['The', 0.25], ['B', 0.2], ['So', 0.04]), 4)
  near(p[2], 0.005 / 0.71)
  near(p[3], 0.005 / 0.71)
})

test('knows how servers write a probability of zero', () => {
  for (const logprob of [-9999, -3.4028234663852886e38]) {
    const { p } = read([...list(['A', 1]), { token: 'B', logprob }], 2)
    assert.deepEqual(p, [1, 0])
  }
})

test('refuses invalid log-probabilities, and a list that is too short', () => {
  const refused = (candidates: ReadonlyArray<Candidate>, count: number, why: RegExp) => {
    const readout = readLetters(candidates, count)
    assert.ok(E.isLeft(readout))
    assert.match(readout.left, why)
  }
  refused([{ token: 'A', logprob: 17.5 }, ...list(['B', 0.1])], 2, /no logarithms/)
  refused([{ token: 'A', logprob: Number.NaN }, ...list(['B', 0.1])], 2, /no logarithms/)
  refused(list(['A', 0.9], ['B', 0.8]), 2, /no logarithms/)
  refused(list(['A', 0.9]), 2, /listed 1 likely tokens for 2 options/)
})

test('temperature evens out or sharpens', () => {
  const { logprobs } = read(list(['A', 0.8], ['B', 0.2]), 2)
  near(softmax(logprobs, 2)[0], 2 / 3)
  near(softmax(logprobs, 0.5)[0], 16 / 17)
})

const range = (size: number) => Array.from({ length: size }, (_, i) => i)

const masses = (min: number, max: number) =>
  fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: min, maxLength: max })

test('property: the readout is a distribution, and more mass never lowers a letter', () => {
  fc.assert(
    fc.property(masses(2, 20), fc.double({ min: 0.1, max: 5, noNaN: true }), (weights, t) => {
      const total = weights.reduce((a, b) => a + b, 100)
      const letter = (i: number) => String.fromCharCode(65 + i)
      const at = (bonus: number) =>
        softmax(
          read(
            list(
              ...weights.map((w, i) => [letter(i), (w + (i === 0 ? bonus : 0)) / total] as const),
            ),
            weights.length,
          ).logprobs,
          t,
        )
      const p = at(0)
      near(
        p.reduce((a, b) => a + b, 0),
        1,
      )
      assert.ok((at(50)[0] ?? 0) >= (p[0] ?? 0))
    }),
    { seed: 6 },
  )
})

test('property: rotations show every option once each, spread over the letters, and average back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 1, max: 25 }), (size, times) => {
      const options = Array.from({ length: size }, (_, i) => i)
      const orders = rotateOptions(options, times)
      assert.equal(orders.length, Math.min(size, times))
      assert.equal(new Set(orders.map((order) => order[0])).size, orders.length)
      const weights = options.map((i) => (i + 1) / ((size * (size + 1)) / 2))
      const back = averageRotations(
        orders.map((order) => order.map((option) => weights[option] ?? 0)),
      )
      for (const [i, p] of back.entries()) near(p, weights[i] ?? 0)
    }),
    { seed: 6 },
  )
})

test('all rotations cancel a preference for letters', () => {
  const bias = [0.7, 0.2, 0.1]
  for (const p of averageRotations(rotateOptions([0, 1, 2], 3).map(() => bias))) near(p, 1 / 3)
})

test('property: rounds give what one call over all options would, and hold the limit per call', async () => {
  await fc.assert(
    fc.asyncProperty(masses(1, 255), fc.constantFrom(5, maxLetters), async (weights, most) => {
      let calls = 0
      const distribution = await askInRounds(range(weights.length), most, (options) => {
        calls += 1
        assert.ok(options.length <= most && options.length > 1)
        const total = options.reduce((sum, option) => sum + (weights[option] ?? 0), 0)
        return TE.right(options.map((option) => (weights[option] ?? 0) / total))
      })()
      assert.ok(E.isRight(distribution))
      const total = weights.reduce((a, b) => a + b, 0)
      for (const [i, p] of distribution.right.entries()) near(p, (weights[i] ?? 0) / total)
      assert.equal(distribution.right.length, weights.length)
      const blocks = Math.ceil(weights.length / most)
      assert.ok(calls <= (blocks > 1 ? 1.3 * blocks + 4 : 1), `${calls} calls`)
    }),
    { numRuns: 100, seed: 6 },
  )
})

test('the best of many options wins although blocks without a good one are sure of themselves', async () => {
  const best = 137
  const distribution = await askInRounds(range(255), 20, (options) =>
    TE.right(
      options.map((option) =>
        options.includes(best)
          ? option === best
            ? 0.95
            : 0.05 / (options.length - 1)
          : option === options[0]
            ? 0.99
            : 0.01 / (options.length - 1),
      ),
    ),
  )()
  assert.ok(E.isRight(distribution))
  assert.equal(distribution.right.indexOf(Math.max(...distribution.right)), best)
  assert.ok((distribution.right[best] ?? 0) > 0.9)
})

test('a failed call fails the question', async () => {
  const outcome = await askInRounds(range(60), 20, (options) =>
    options.includes(30)
      ? TE.left(engineFailed('cut'))
      : TE.right(options.map(() => 1 / options.length)),
  )()
  assert.deepEqual(outcome, E.left(engineFailed('cut')))
})

test.run()
