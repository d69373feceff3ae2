import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CascadePoint, traceCascade } from '../../../lib/measure/statistics/cascade'
import { createGroupUnits, createRowUnits } from '../../../lib/measure/statistics/units'
import { assertNear } from './vectors'

interface CascadeRow {
  /** P(yes) in the answers of a and b. */
  readonly a: number
  readonly b: number
  readonly label?: boolean
  /** The chance with which the row was drawn. */
  readonly p?: number
  readonly group?: string
}

interface CascadeCase {
  readonly name: string
  readonly margin: number
  readonly confidence: number
  readonly rows: ReadonlyArray<CascadeRow>
  readonly expected: {
    readonly needs: number
    readonly points: ReadonlyArray<Omit<CascadePoint, 'interval'>>
    readonly cut: { readonly at: number } | null
  }
}

const { cases } = JSON.parse(readFileSync('test/vectors/cascade.json', 'utf8')) as {
  readonly cases: ReadonlyArray<CascadeCase>
}

/** Returns the larger of P(yes) and P(no), rounded to 12 decimals as `svc cascade` does. */
const findTopProbability = (yes: number): number => Math.round(Math.max(yes, 1 - yes) * 1e12) / 1e12

const isRight = (yes: number, label: boolean | undefined): number => Number(yes >= 0.5 === label)

const traceCase = ({ rows, margin, confidence }: CascadeCase) => {
  const labelled = rows.flatMap((row, i) => (row.label === undefined ? [] : [i]))
  const labelledRows = labelled.map((i) => rows[i] as CascadeRow)
  const groups = [...new Set(rows.map(({ group }) => group))]
  const units =
    groups.length > 1
      ? createGroupUnits(labelledRows.map(({ group }) => groups.indexOf(group)))
      : createRowUnits(labelledRows.length)
  return traceCascade(
    {
      topProbability: rows.map(({ a }) => findTopProbability(a)),
      labelledIndexes: labelled,
      rightA: labelledRows.map(({ a, label }) => isRight(a, label)),
      rightB: labelledRows.map(({ b, label }) => isRight(b, label)),
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

for (const [margin, needs] of [
  [0.01, 324],
  [0.02, 161],
  [0.05, 63],
] as const)
  test(`a cut with a margin of ${margin} takes at least ${needs} labelled rows`, () => {
    const [firstCase] = cases
    assert.ok(firstCase)
    assert.is(traceCase({ ...firstCase, margin, confidence: 0.95 }).needs, needs)
  })

test.run()
