import { measureEvidence } from '../../../lib/measure/rows/evidence'
import { wilsonInterval } from '../../../lib/measure/statistics/intervals'
import { weightedMean } from '../../../lib/measure/statistics/numbers'
import { estimateShare } from '../../../lib/measure/statistics/share'
import { createGroupUnits } from '../../../lib/measure/statistics/units'
import { createRandom, type Random } from '../../../lib/runtime/random'

/** How often an interval contains the true value, in many draws. */
export interface IntervalResult {
  readonly setting: string
  readonly coverage: number
  readonly minCoverage: number
}

/** Intervals of an accuracy of rows in groups. */
interface AccuracySetting {
  readonly accuracy: number
  readonly groups: number
  readonly size: number
  readonly correlation: number
}

const accuracySettings: ReadonlyArray<AccuracySetting> = [0.8, 0.95].flatMap((accuracy) =>
  [0.05, 0.3].flatMap((correlation) =>
    [10, 15, 20, 30].flatMap((groups) =>
      [5, 20].map((size) => ({ accuracy, groups, size, correlation })),
    ),
  ),
)

/** The minimum coverage of an accuracy with few groups, whose rows are much alike, and nearly all right. */
const minCoverageOfAlikeRows = 0.88

const measureAccuracy = (
  { accuracy, groups, size, correlation }: AccuracySetting,
  drawCount: number,
  random: Random,
): IntervalResult => {
  const rowCount = groups * size
  const units = createGroupUnits(
    Uint32Array.from({ length: rowCount }, (_, row) => Math.floor(row / size)),
  )
  const weights = new Float64Array(rowCount).fill(1)
  // Two rows of a group whose accuracy has a beta distribution with these parameters correlate by ρ.
  const total = (1 - correlation) / correlation
  let covered = 0
  for (let draw = 0; draw < drawCount; draw++) {
    let groupAccuracy = 0
    const right = Uint8Array.from({ length: rowCount }, (_, row) => {
      if (row % size === 0)
        groupAccuracy = drawBeta(accuracy * total, (1 - accuracy) * total, random)
      return random.nextFloat() < groupAccuracy ? 1 : 0
    })
    const { effectiveRows } = measureEvidence({ right, weights, units })
    const { low, high } = wilsonInterval(weightedMean(right, weights), effectiveRows)
    if (low <= accuracy && accuracy <= high) covered++
  }
  return {
    setting: `accuracy ${accuracy}, ${groups} groups of ${size}, ρ ${correlation}`,
    coverage: covered / drawCount,
    minCoverage: correlation === 0.3 && accuracy === 0.95 ? minCoverageOfAlikeRows : 0.91,
  }
}

const drawBeta = (a: number, b: number, random: Random): number => {
  const first = drawGamma(a, random)
  return first / (first + drawGamma(b, random))
}

/** Draws from the gamma distribution with a shape. Marsaglia and Tsang (2000). */
const drawGamma = (shape: number, random: Random): number => {
  if (shape < 1) return drawGamma(shape + 1, random) * (1 - random.nextFloat()) ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const normal =
      Math.sqrt(-2 * Math.log(1 - random.nextFloat())) * Math.cos(2 * Math.PI * random.nextFloat())
    const v = (1 + normal / Math.sqrt(9 * d)) ** 3
    if (v > 0 && Math.log(1 - random.nextFloat()) < normal ** 2 / 2 + d - d * v + d * Math.log(v))
      return d * v
  }
}

/** The probability of each level of a score, of which the highest is rare. */
const levelShares = [0.8, 0.17, 0, 0, 0.03]

/** Intervals of the mean of a score, or of the share of its highest level. */
interface ShareSetting {
  readonly figure: 'mean' | 'share'
  readonly labels: number
  readonly answers: 'good' | 'useless'
}

const shareSettings: ReadonlyArray<ShareSetting> = (['mean', 'share'] as const).flatMap((figure) =>
  [30, 50, 200].flatMap((labels) =>
    (['good', 'useless'] as const).map((answers) => ({ figure, labels, answers })),
  ),
)

const rowCount = 1000

const measureShare = (
  { figure, labels, answers }: ShareSetting,
  drawCount: number,
  random: Random,
): IntervalResult => {
  const highestLevel = levelShares.length - 1
  const isMean = figure === 'mean'
  const range = isMean ? ([0, highestLevel] as const) : ([0, 1] as const)
  let covered = 0
  for (let draw = 0; draw < drawCount; draw++) {
    const truths = Array.from({ length: rowCount }, () => {
      const level = drawLevel(random)
      return isMean ? level : Number(level === highestLevel)
    })
    const [, highest] = range
    const stated = truths.map((truth) =>
      answers === 'good'
        ? Math.min(highest, Math.max(0, truth + (random.nextFloat() - 0.5) * highest * 0.4))
        : random.nextFloat() * highest,
    )
    // All rows are drawn independently, so the first rows are a random sample.
    const labelled = truths.slice(0, labels).map((truth, i) => ({
      truth,
      answer: stated[i] as number,
      samplingProbability: labels / rowCount,
    }))
    const { low, high } = estimateShare({ answers: stated, labelled, range })
    const trueMean = truths.reduce((total, truth) => total + truth, 0) / rowCount
    if (low <= trueMean + 1e-12 && trueMean <= high + 1e-12) covered++
  }
  return {
    setting: `${figure} of a score, ${labels} labels of ${rowCount} rows, ${answers} answers`,
    coverage: covered / drawCount,
    minCoverage: 0.94,
  }
}

const drawLevel = (random: Random): number => {
  let rest = random.nextFloat()
  return levelShares.findIndex((share) => {
    rest -= share
    return rest < 0
  })
}

/** Measures the intervals of all settings. */
export const measureIntervalPromises = (drawCount: number): ReadonlyArray<IntervalResult> => [
  ...accuracySettings.map((setting, i) => measureAccuracy(setting, drawCount, createRandom(i))),
  ...shareSettings.map((setting, i) => measureShare(setting, drawCount, createRandom(1000 + i))),
]
