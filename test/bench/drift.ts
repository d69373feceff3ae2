/**
 * Measures how often `svc compare --unpaired --significant 0.05` raises an alarm, with drawn runs: if nothing has changed, and if the share
 * of one decision of one question has changed by some points.
 */
import { computeHomogeneityPValue } from '../../lib/measure/statistics/homogeneity'
import { adjustByHolm } from '../../lib/measure/statistics/hypotheses'
import { createRandom, type Random } from '../../lib/runtime/random'

/** The runs of a simulation. Both have the same number of rows. */
export interface DriftSetting {
  readonly questionCount: number
  readonly rowCount: number
  /** The change of the share of the first decision of the first question, such as 0.05. */
  readonly change: number
  readonly draws: number
}

/** The shares of the decisions of a question. Questions take turns; the last one has a rare decision, for the permutation test. */
const decisionShares: ReadonlyArray<ReadonlyArray<number>> = [
  [0.3, 0.7],
  [0.5, 0.3, 0.2],
  [0.05, 0.95],
  [0.4, 0.3, 0.2, 0.09, 0.01],
]

const significanceLevel = 0.05

/** Draws the decisions of independent rows. Returns the number of rows with each decision. */
const drawCounts = (
  shares: ReadonlyArray<number>,
  rowCount: number,
  random: Random,
): ReadonlyArray<number> => {
  const counts = shares.map(() => 0)
  for (let row = 0; row < rowCount; row++) {
    let rest = random.nextFloat()
    let k = 0
    while (k < shares.length - 1 && rest >= (shares[k] as number)) {
      rest -= shares[k] as number
      k++
    }
    counts[k] = (counts[k] as number) + 1
  }
  return counts
}

/** Moves `change` from the second share to the first. */
const changeShares = ([first = 0, second = 0, ...rest]: ReadonlyArray<number>, change: number) => [
  first + change,
  second - change,
  ...rest,
]

/** Draws pairs of runs. Returns how many of them raise an alarm: the corrected p of a question is below 0.05. */
export const countAlarms = (
  { questionCount, rowCount, change, draws }: DriftSetting,
  random: Random,
): number => {
  let alarms = 0
  for (let draw = 0; draw < draws; draw++) {
    const pValues = Array.from({ length: questionCount }, (_, question) => {
      const shares = decisionShares[question % decisionShares.length] as ReadonlyArray<number>
      const sharesNow = question === 0 ? changeShares(shares, change) : shares
      const a = drawCounts(shares, rowCount, random)
      const b = drawCounts(sharesNow, rowCount, random)
      return computeHomogeneityPValue({ a, b }, draw)
    })
    if (adjustByHolm(pValues).some((p) => p < significanceLevel)) alarms++
  }
  return alarms
}

/** Prints the share of alarms for each setting. `draws` is the number of pairs of runs of each. Sets the exit code on too many false alarms. */
export const reportDrift = (draws: number): void => {
  console.log('svc compare --unpaired --significant 0.05: alarms, in percent of the draws')
  console.log('rows     questions  change  alarms')
  for (const rowCount of [200, 1000, 10_000])
    for (const questionCount of [2, 5, 20])
      for (const change of [0, 0.02, 0.05, 0.1]) {
        const random = createRandom(rowCount + questionCount)
        const alarms = countAlarms({ questionCount, rowCount, change, draws }, random) / draws
        const cells = [rowCount, questionCount, `${change * 100}`].map(String)
        console.log(
          `${cells[0]?.padEnd(8)} ${cells[1]?.padEnd(10)} ${cells[2]?.padEnd(7)} ${(alarms * 100).toFixed(1)}`,
        )
        const limit = significanceLevel + 3 * Math.sqrt(0.0475 / draws)
        if (change === 0 && alarms > limit) process.exitCode = 1
      }
}
