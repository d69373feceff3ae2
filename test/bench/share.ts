import { estimateShare, type ShareData } from '../../lib/measure/statistics/share'
import { createRandom, type Random } from '../../lib/runtime/random'

interface Setting {
  readonly rows: number
  readonly labels: number
  readonly share: number
  readonly quality: 'good' | 'useless'
}

const settings: ReadonlyArray<Setting> = [500, 5000].flatMap((rows) =>
  [50, 200].flatMap((labels) =>
    [0.05, 0.3].flatMap((share) =>
      (['good', 'useless'] as const).map((quality) => ({ rows, labels, share, quality })),
    ),
  ),
)

/** The least share of intervals that must hold the true share. */
const minCoverage = 0.94

/** Draws a run and labels some of its rows by chance. Good answers are near the truth, useless ones know nothing of it. */
const drawRun = (setting: Setting, random: Random): { data: ShareData; truth: number } => {
  const { rows, labels, share, quality } = setting
  const truths = Array.from({ length: rows }, () => Number(random.unit() < share))
  const answers = truths.map((truth) => {
    const off = random.unit() ** (quality === 'good' ? 8 : 1)
    return quality === 'good' && truth === 1 ? 1 - off : off
  })
  const labelled = truths.slice(0, labels).map((truth, i) => ({
    truth,
    answer: answers[i] as number,
    chance: labels / rows,
  }))
  const truth = truths.reduce((total, one) => total + one, 0) / rows
  return { data: { answers, labelled, range: [0, 1] }, truth }
}

/** The same labels without answers to lean on. */
const withoutAnswers = ({ answers, labelled, range }: ShareData): ShareData => ({
  answers: answers.map(() => 0),
  labelled: labelled.map((row) => ({ ...row, answer: 0 })),
  range,
})

/**
 * Prints how often the 95 % interval of a share holds the true share, and how much wider it would be from labels only.
 * Sets a failing exit code if an interval holds it too rarely.
 */
export const reportShare = (draws: number): void => {
  console.log(`\nintervals of svc share (${draws} seeded draws)`)
  console.log('    rows  labels  share  answers   coverage  half width  labels only')
  for (const [seed, setting] of settings.entries()) {
    const random = createRandom(seed)
    const total = { covered: 0, width: 0, alone: 0 }
    for (let draw = 0; draw < draws; draw++) {
      const { data, truth } = drawRun(setting, random)
      const { low, high } = estimateShare(data)
      const alone = estimateShare(withoutAnswers(data))
      // Sums of the same numbers in another order differ in their last digit.
      if (low <= truth + 1e-12 && truth <= high + 1e-12) total.covered++
      total.width += (high - low) / 2 / draws
      total.alone += (alone.high - alone.low) / 2 / draws
    }
    const coverage = total.covered / draws
    const { rows, labels, share, quality } = setting
    const counts = [
      String(rows).padStart(8),
      String(labels).padStart(7),
      share.toFixed(2).padStart(6),
    ]
    const figures = [
      `${(coverage * 100).toFixed(1)} %`.padStart(9),
      total.width.toFixed(4).padStart(11),
      total.alone.toFixed(4).padStart(12),
    ]
    const mark = coverage < minCoverage ? '  too rare' : ''
    console.log(`${counts.join(' ')}  ${quality.padEnd(8)} ${figures.join(' ')}${mark}`)
    if (coverage < minCoverage) process.exitCode = 1
  }
}
