import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CascadePoint, traceCascade } from '../../../lib/measure/statistics/cascade'
import { createGroupUnits, createRowUnits } from '../../../lib/measure/statistics/units'
import { assertNear } from './vectors'

interface CascadeRow {
  readonly a: number
  readonly b: number
  readonly label?: boolean
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

/** Rounds the larger of both probabilities to 12 places, as svc does for the answer to a yes/no question. */
const topOf = (p: number): number => Math.round(Math.max(p, 1 - p) * 1e12) / 1e12

const traceCase = ({ rows, margin, confidence }: CascadeCase) => {
  const labelled = rows.flatMap((row, i) => (row.label === undefined ? [] : [i]))
  const known = labelled.map((i) => rows[i] as CascadeRow)
  const groups = [...new Set(rows.map(({ group }) => group))]
  const units =
    groups.length > 1
      ? createGroupUnits(known.map(({ group }) => groups.indexOf(group)))
      : createRowUnits(known.length)
  const isRight = (p: number, label: boolean | undefined): number => Number(p >= 0.5 === label)
  return traceCascade(
    {
      topProbability: rows.map(({ a }) => topOf(a)),
      labelled,
      rightA: known.map(({ a, label }) => isRight(a, label)),
      rightB: known.map(({ b, label }) => isRight(b, label)),
      weights: known.map(({ p = 1 }) => 1 / p),
      units,
    },
    { margin, confidence },
  )
}

const test = suite('cascade against a Python reference')

for (const one of cases)
  test(one.name, () => {
    const { needs, points, cut } = traceCase(one)
    assert.is(needs, one.expected.needs)
    assert.is(points.length, one.expected.points.length)
    for (const [i, expected] of one.expected.points.entries()) {
      const point = points[i] as CascadePoint
      assert.ok(Math.abs((point.at ?? -1) - (expected.at ?? -1)) < 1e-9, `threshold ${expected.at}`)
      for (const figure of ['asked', 'accuracy', 'change', 'low'] as const)
        assertNear(point[figure], expected[figure], `${figure} at ${expected.at}`)
    }
    assert.is(cut?.at ?? null, one.expected.cut?.at ?? null)
  })

test('161 rows prove that nothing is broken at a margin of 0.02, 63 at 0.05, 324 at 0.01', () => {
  const needs = (margin: number) =>
    traceCase({ ...(cases[0] as CascadeCase), margin, confidence: 0.95 }).needs
  assert.equal([0.01, 0.02, 0.05].map(needs), [324, 161, 63])
})

test.run()
