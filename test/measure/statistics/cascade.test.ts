import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CascadePoint, traceCascade } from '../../../lib/measure/statistics/cascade'
import { correlateChanges } from '../../../lib/measure/statistics/change'
import { createGroupUnits, createRowUnits } from '../../../lib/measure/statistics/units'
import { readVectors } from '../../support/vectors'
import { assertNear } from './vectors'

/** A row of the test vectors. `label` is absent if no person labelled the row. */
interface CascadeRow {
  /** P(yes) in the answer of a, the cheap model. */
  readonly a: number
  /** P(yes) in the answer of b, the expensive model. */
  readonly b: number
  readonly label?: boolean
  /** The probability with which the row was drawn. Default: 1. */
  readonly p?: number
  readonly group?: string
}

/** A cascade, in which a answers the rows of which it is sure, and b answers the others. */
interface CascadeCase {
  readonly name: string
  /** The maximum loss of accuracy compared with b. */
  readonly margin: number
  readonly confidence: number
  readonly rows: ReadonlyArray<CascadeRow>
  readonly expected: {
    /** The minimum number of labelled rows for a cut. */
    readonly needs: number
    /** The figures of each tested threshold. */
    readonly points: ReadonlyArray<Omit<CascadePoint, 'interval'>>
    /** The threshold that passed its test: a answers rows at or above it. Null if none passed. */
    readonly cut: { readonly at: number } | null
  }
}

const { cases } = readVectors<{ readonly cases: ReadonlyArray<CascadeCase> }>('cascade.json')

/** Returns the larger of P(yes) and P(no), rounded to 12 decimals as `svc cascade` does. */
const findTopProbability = (yes: number): number => Math.round(Math.max(yes, 1 - yes) * 1e12) / 1e12

/** Returns 1 if P(yes) decides for the label, else 0. */
const compareWithLabel = (yes: number, label: boolean | undefined): number => {
  const decision = yes >= 0.5
  return decision === label ? 1 : 0
}

/** Traces the cascade of a case. Rows are in groups if the case names several. */
const traceCase = ({ rows, margin, confidence }: CascadeCase) => {
  const labelledIndexes = [...rows.keys()].filter((i) => rows[i]?.label !== undefined)
  const labelledRows = labelledIndexes.map((i) => rows[i] as CascadeRow)
  const groups = [...new Set(rows.map(({ group }) => group))]
  const units =
    groups.length > 1
      ? createGroupUnits(labelledRows.map(({ group }) => groups.indexOf(group)))
      : createRowUnits(labelledRows.length)
  return traceCascade(
    {
      topProbability: rows.map(({ a }) => findTopProbability(a)),
      labelledIndexes,
      cheapRight: labelledRows.map(({ a, label }) => compareWithLabel(a, label)),
      expensiveRight: labelledRows.map(({ b, label }) => compareWithLabel(b, label)),
      weights: labelledRows.map(({ p = 1 }) => 1 / p),
      units,
    },
    { margin, confidence },
  )
}

const test = suite('cascade against a Python reference')

for (const cascadeCase of cases)
  test(cascadeCase.name, () => {
    const { needs, points, cut } = traceCase(cascadeCase)
    const { expected } = cascadeCase
    assert.is(needs, expected.needs)
    assert.is(points.length, expected.points.length)
    for (const [i, expectedPoint] of expected.points.entries()) {
      const point = points[i] as CascadePoint
      assertNear(point.at, expectedPoint.at, 'threshold')
      for (const figure of ['asked', 'accuracy', 'change', 'low'] as const)
        assertNear(point[figure], expectedPoint[figure], `${figure} at ${expectedPoint.at}`)
    }
    assert.is(cut?.at ?? null, expected.cut?.at ?? null)
  })

/** The smallest numbers of rows whose lower bound is at least −margin if no row changes. */
const marginCases = [
  { margin: 0.01, minRows: 324 },
  { margin: 0.02, minRows: 161 },
  { margin: 0.05, minRows: 63 },
]

for (const { margin, minRows } of marginCases)
  test(`a cut with a margin of ${margin} takes at least ${minRows} labelled rows`, () => {
    // The minimum depends only on the margin and the confidence, so the rows can be those of any case.
    const [firstCase] = cases
    assert.ok(firstCase)
    assert.is(traceCase({ ...firstCase, margin, confidence: 0.95 }).needs, minRows)
  })

test('the correlation of changes is the larger one of broken and of fixed rows', () => {
  // Twenty groups of two rows. Both rows of every fourth group are broken. In every other group one row is fixed.
  const units = createGroupUnits(Uint8Array.from({ length: 40 }, (_, row) => Math.floor(row / 2)))
  const alike = Array.from({ length: 40 }, (_, row) => (Math.floor(row / 2) % 4 === 0 ? 1 : 0))
  const spread = Array.from({ length: 40 }, (_, row) => (row % 4 === 2 ? 1 : 0))
  const weights = alike.map(() => 1)
  assert.is(correlateChanges({ broken: alike, fixed: spread, weights, units }), 1)
  assert.is(correlateChanges({ broken: spread, fixed: alike, weights, units }), 1)
})

test.run()
