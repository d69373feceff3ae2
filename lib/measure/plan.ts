import type { Draft } from '../codec/json/draft'
import { alignTable } from '../failure/text/table'
import { roundNumbers } from './numbers'
import { chooseCut, rowsNeeded } from './statistics/cuts'
import { wilson } from './statistics/intervals'
import { ones } from './statistics/numbers'
import { createRandom } from './statistics/random'
import { unitsOfRows } from './statistics/units'
import type { GivenTarget } from './targets'

/** The shares of accepted answers that are right, for which labels are counted. R34 */
const shares = [1, 0.98, 0.95]

/** The accuracy whose interval is shown, and for how many labels. R34 */
const typicalAccuracy = 0.9
const labelCounts = [50, 100, 200, 500, 1000]

const draws = 200
const mostRows = 5000

/**
 * Plans how many rows to label, by simulating the choice of cuts. `needs` is the fewest rows that can prove the target,
 * which coverage does not have. `labels` is empty where they do not depend on how many accepted answers are right. R34
 */
export const planLabels = (
  targets: ReadonlyArray<GivenTarget>,
  confidence: number,
  seed: number,
) => ({
  confidence,
  seed,
  targets: targets.map(({ text, figure, value }) => ({
    text,
    needs: figure === 'coverage' ? undefined : rowsNeeded(value, confidence),
    labels:
      figure === 'coverage' || figure === 'recall'
        ? []
        : shares.map((right) => countLabels(right, value, confidence, seed)),
  })),
  intervals: labelCounts.map((labels) => ({ labels, ...wilson(typicalAccuracy, labels) })),
})

/** The labelled rows that find a cut in half and in nine tenths of draws; null where 5,000 are too few. */
const countLabels = (right: number, target: number, confidence: number, seed: number) => {
  const known = new Map<number, number>()
  const findShare = (rows: number): number => {
    const share = known.get(rows) ?? simulateFound(rows, right, target, confidence, seed)
    known.set(rows, share)
    return share
  }
  const least = rowsNeeded(target, confidence)
  const count = (share: number) => (right <= target ? null : findRows(least, share, findShare))
  return { right, half: count(0.5), most: count(0.9) }
}

/** Finds the fewest rows with which a cut is found in at least `share` of draws: by doubling, then by halving. */
const findRows = (
  least: number,
  share: number,
  findShare: (rows: number) => number,
): number | null => {
  let high = least
  while (findShare(high) < share) {
    if (high >= mostRows) return null
    high = Math.min(mostRows, high * 2)
  }
  let low = Math.max(least, Math.floor(high / 2))
  while (high - low > Math.max(1, high * 0.02)) {
    const middle = Math.floor((low + high) / 2)
    if (findShare(middle) < share) low = middle
    else high = middle
  }
  return findShare(low) >= share ? low : high
}

/** The share of draws of so many rows in which a cut for the target is found. */
const simulateFound = (
  rows: number,
  right: number,
  value: number,
  confidence: number,
  seed: number,
): number => {
  const random = createRandom(seed)
  const scale = Float64Array.from({ length: rows }, (_, i) => 1 - i / rows)
  const shared = { scale, weights: ones(rows), units: unitsOfRows(rows), designEffect: 1 }
  let found = 0
  for (let draw = 0; draw < draws; draw++) {
    const marks = Uint8Array.from(scale, () => (random.unit() < right ? 1 : 0))
    const cut = chooseCut({ figure: 'accuracy', value }, confidence, { ...shared, right: marks })
    if (cut.at !== null) found++
  }
  return found / draws
}

type Plan = ReturnType<typeof planLabels>

/** Writes the document of `svc calibrate --plan`. R34 */
export const describePlan = ({ confidence, seed, targets, intervals }: Plan): Draft =>
  roundNumbers({
    confidence,
    simulation: { draws, seed },
    targets: targets.map(({ text, needs, labels }) => ({
      target: text,
      needs,
      labels: labels.length === 0 ? undefined : labels.map((one) => ({ ...one })),
    })),
    accuracy_intervals: intervals.map(({ labels, low, high }) => ({
      ...{ labels, accuracy: typicalAccuracy, low, high },
    })),
  })

/** Writes the plan for people. R34 */
export const tabulatePlan = ({ targets, intervals }: Plan): string => {
  const number = (value: number | null): string =>
    value === null ? `over ${mostRows}` : String(value)
  const cuts = targets.flatMap(({ text, needs, labels }) =>
    labels.length === 0
      ? [[text, '', needs === undefined ? 'none' : `${needs} that are a yes`, '']]
      : labels.map(({ right, half, most }, i) => [
          ...[i === 0 ? text : '', `${right * 100} %`, number(half), number(most)],
        ]),
  )
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  return [
    'Labelled rows that find a cut, by how many of the accepted answers are right:',
    alignTable(1, ['target', 'right', 'in half of draws', 'in 90 %'], cuts),
    `How exact an accuracy of ${percent(typicalAccuracy)} is:`,
    alignTable(
      0,
      ['labels', '95 % from', 'to'],
      intervals.map(({ labels, low, high }) => [String(labels), percent(low), percent(high)]),
    ),
  ].join('\n\n')
}
