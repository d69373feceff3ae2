import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { evaluateRun } from '../../lib/measure/evaluate/evaluation'
import { readVectors } from '../support/vectors'
import { collectRun, createNoul } from './runs'
import { assertNear } from './statistics/vectors'

/**
 * Compares effective numbers of rows in groups, and the intervals of the accuracy, with those of a reference implementation in NumPy. The
 * effective number is that of independent rows of equal weight that give as much evidence.
 */
const test = suite('measure/evaluate, evidence of groups')

interface EffectiveVector {
  readonly groups: number
  readonly group: ReadonlyArray<number>
  /** 1 for each row whose decision is right, else 0. */
  readonly right: ReadonlyArray<number>
  /** The probability with which each row was drawn; null without weights. */
  readonly p: ReadonlyArray<number> | null
  readonly expected: {
    readonly n_effective: number
    readonly accuracy: number
    readonly interval: { readonly low: number; readonly high: number } | null
  }
}

const { effective } = readVectors<{ readonly effective: ReadonlyArray<EffectiveVector> }>(
  'cuts.json',
)

for (const { groups, group, right, p, expected } of effective)
  test(`agrees with the reference about ${right.length} rows in ${groups} groups${p === null ? '' : ', with weights'}`, () => {
    const run = collectRun(
      right.map((isRight, row) => ({
        group: `g${group[row]}`,
        ...(p !== null && { p: p[row] }),
        labels: { q: isRight === 1 },
        answers: { q: createNoul(0.9) },
      })),
    )
    const question = evaluateRun(run, { seed: 0, byGroup: false }).questions.get('q')
    assertNear(question?.evidence.effectiveRows, expected.n_effective, 'n_effective', 1e-8)
    assertNear(question?.figures.accuracy, expected.accuracy, 'accuracy')
    const interval = question?.intervals.accuracy
    assert.is(interval === undefined, expected.interval === null)
    if (expected.interval === null) return
    assertNear(interval?.low, expected.interval.low, 'low')
    assertNear(interval?.high, expected.interval.high, 'high')
  })

test.run()
