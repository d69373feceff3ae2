import { chooseCut, type Sample, type Target } from '../../lib/statistics/cuts'
import { createRandom, type Random } from '../../lib/statistics/random'
import {
  designEffectOf,
  measureSpread,
  type Units,
  unitsOfGroups,
  unitsOfRows,
} from '../../lib/statistics/units'

/** A source of samples, and what its figure truly is at a cut. */
interface Setting {
  readonly name: string
  readonly target: Target
  readonly draw: (random: Random) => Sample
  /** The true figure of all rows at or above a value of the scale. */
  readonly truth: (at: number) => number
}

/** Rows with right ones marked, all of the same weight unless `weights` says otherwise. */
const sampleOf = (
  scale: Float64Array,
  right: Uint8Array,
  units: Units = unitsOfRows(scale.length),
  weights: Float64Array = new Float64Array(scale.length).fill(1),
): Sample => ({
  ...{ scale, right, weights, units },
  designEffect: units.isGrouped ? designEffectOf(measureSpread(right, units, undefined)) : 1,
})

const accuracy = (value: number): Target => ({ figure: 'accuracy', value })

/** A calibrated yes/no source that says P(yes) uniformly, cut on the larger of yes and no. */
const onTop = (n: number, value: number): Setting => ({
  name: `noul on top, ${n} rows`,
  target: accuracy(value),
  draw: (random) => {
    const p = Float64Array.from({ length: n }, random.unit)
    const right = Uint8Array.from(p, (one) => Number(random.unit() < one === one >= 0.5))
    return sampleOf(
      p.map((one) => Math.max(one, 1 - one)),
      right,
    )
  },
  truth: (at) => (1 + at) / 2,
})

/** Rows that are right as often as the target says, less a hair, so that every cut misses it. */
const onTarget = (n: number, value: number, weigh?: (i: number) => number): Setting => ({
  name: `right in ${value}, ${n} rows${weigh === undefined ? '' : ' with weights'}`,
  target: accuracy(value),
  draw: (random) =>
    sampleOf(
      Float64Array.from({ length: n }, random.unit),
      Uint8Array.from({ length: n }, () => Number(random.unit() < value)),
      unitsOfRows(n),
      Float64Array.from({ length: n }, (_, i) => weigh?.(i) ?? 1),
    ),
  truth: () => value - 1e-9,
})

/**
 * The same in groups. A row takes the answer of its group with the probability √ρ, else one of its own, so that two rows
 * of a group have the correlation ρ. Groups have between half and one and a half times as many rows as `size` says.
 */
const inGroups = (groups: number, size: number, correlation: number, value: number): Setting => ({
  name: `${groups} groups of about ${size}, correlation ${correlation}`,
  target: accuracy(value),
  draw: (random) => {
    const group: number[] = []
    const right: number[] = []
    for (let g = 0; g < groups; g++) {
      const common = Number(random.unit() < value)
      const rows = Math.max(1, Math.round(size * (0.5 + random.unit())))
      for (let row = 0; row < rows; row++) {
        group.push(g)
        const isCommon = random.unit() < Math.sqrt(correlation)
        right.push(isCommon ? common : Number(random.unit() < value))
      }
    }
    const scale = Float64Array.from(group, random.unit)
    return sampleOf(scale, Uint8Array.from(right), unitsOfGroups(group))
  },
  truth: () => value - 1e-9,
})

/** Yes rows of which a share of 1 − at is found, in groups that share their luck. */
const recallOf = (groups: number, size: number, correlation: number): Setting => ({
  name: `recall, ${groups} groups of ${size}, correlation ${correlation}`,
  target: { figure: 'recall', value: 0.9 },
  draw: (random) => {
    const n = groups * size
    const common = Float64Array.from({ length: groups }, random.unit)
    const group = Uint32Array.from({ length: n }, (_, i) => i / size)
    const scale = Float64Array.from(group, (g) =>
      random.unit() < Math.sqrt(correlation) ? (common[g] as number) : random.unit(),
    )
    const right = Uint8Array.from(scale, () => Number(random.unit() < 0.5))
    const units = correlation === 0 ? unitsOfRows(n) : unitsOfGroups(group)
    const decided = Uint8Array.from(scale, (p, i) => Number(p >= 0.5 === (right[i] === 1)))
    const spread = measureSpread(decided, units, undefined)
    return { ...sampleOf(scale, right, units), designEffect: designEffectOf(spread) }
  },
  truth: (at) => 1 - at,
})

const settings: ReadonlyArray<Setting> = [
  ...[150, 400, 1000].flatMap((n) => [onTop(n, 0.8), onTop(n, 0.9)]),
  ...[200, 500, 1500].flatMap((n) => [0.8, 0.9, 0.95].map((value) => onTarget(n, value))),
  onTarget(500, 0.9, (i) => (i % 2 === 0 ? 1 : 10)),
  onTarget(1500, 0.9, (i) => (i % 10 === 0 ? 20 : 1)),
  ...[0.05, 0.2, 0.4, 0.6].flatMap((correlation) => [
    inGroups(60, 8, correlation, 0.9),
    inGroups(150, 4, correlation, 0.9),
    inGroups(300, 3, correlation, 0.8),
  ]),
  recallOf(300, 1, 0),
  recallOf(100, 4, 0.3),
]

/** Reports how often a cut misses its target, which confidence 0.95 allows in 5 % of samples. R21 */
export const reportCuts = (draws: number): void => {
  console.log(`\ncuts at confidence 0.95 (${draws} samples each): missed, and found at all`)
  const percent = (count: number): string => `${((100 * count) / draws).toFixed(1)} %`.padStart(7)
  for (const { name, target, draw, truth } of settings) {
    const random = createRandom(1)
    let missed = 0
    let found = 0
    for (let i = 0; i < draws; i++) {
      const { at } = chooseCut(target, 0.95, draw(random))
      if (at === null) continue
      found++
      if (truth(at) < target.value) missed++
    }
    const what = `${target.figure} ${target.value}, ${name}`
    console.log(`  ${what.padEnd(62)} ${percent(missed)} ${percent(found)}`)
  }
  const random = createRandom(2)
  let found = 0
  for (let i = 0; i < draws; i++) {
    const right = Uint8Array.from({ length: 500 }, () => Number(random.unit() < 0.95))
    const sample = sampleOf(Float64Array.from(right, random.unit), right)
    if (chooseCut(accuracy(0.9), 0.95, sample).at !== null) found++
  }
  console.log(
    `  ${'accuracy 0.9, 500 rows of which 0.95 are right'.padEnd(62)} ${' '.repeat(7)} ${percent(found)}`,
  )
}
