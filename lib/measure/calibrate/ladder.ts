import { formatCount } from '../../failure/text/table'
import { formatWholePercent } from '../format-figures'
import { type Cut, type CutTarget, chooseCut, type Sample } from '../statistics/cuts'

/** The shares of right answers for which people are told how many rows pass. */
const steps = [0.8, 0.9, 0.95, 0.98]

/** The confidence of the lower bounds. */
const confidence = 0.95

/**
 * Says for several shares of right answers how many rows pass without a person today, or how many more labels it takes;
 * a line for each.
 */
export const describeLadder = (sample: Sample): ReadonlyArray<string> => {
  const cuts = steps.map((value) => chooseCut({ figure: 'accuracy', value }, confidence, sample))
  const [first] = cuts
  if (first?.missing?.what === 'groups')
    return [`no rows pass without a person today; ${explainMissing('that', first)}`]
  return cuts.map(
    (cut, i) => `${formatWholePercent(steps[i] as number)} right: ${describePass(cut)}`,
  )
}

const describePass = (cut: Cut): string =>
  cut.at === null
    ? `no rows pass without a person today; ${explainMissing('that', cut)}`
    : `${formatWholePercent(cut.share)} of rows pass without a person today`

/** Says how many more labels a missing cut needs. `what` is the subject of the sentence. */
const explainMissing = (what: string, { missing }: Cut): string => {
  switch (missing?.what) {
    case 'groups':
      return `${what} takes ${formatCount(missing.count, 'more group')} at least`
    case 'rows':
      return `${what} takes ${formatCount(missing.count, 'more labelled row')} at least`
    case 'estimate':
      return `${what} takes about ${formatCount(missing.count, 'more labelled row')} if answers stay as right`
    default:
      return 'the surest answers are not right that often'
  }
}

/** The shares that are tried if a target does not hold, the highest first. */
const lowerTargets = [0.98, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5]

/**
 * Says, for a target without a cut, which lower one holds today and how many labels the wanted one takes. Empty if the
 * target has a cut, or is a coverage.
 */
export const explainLowerTarget = (
  target: CutTarget,
  cut: Cut,
  sure: number,
  sample: Sample,
): string => {
  if (cut.at !== null || target.figure === 'coverage') return ''
  const wanted = explainMissing(`${target.figure} ${target.value}`, cut)
  if (cut.missing?.what === 'groups') return `; ${wanted}`
  for (const value of lowerTargets.filter((one) => one < target.value)) {
    const { at, share } = chooseCut({ figure: target.figure, value }, sure, sample)
    if (at !== null)
      return `; ${target.figure} ${value} holds today and accepts ${formatWholePercent(share)} of rows; ${wanted}`
  }
  return `; no lower target holds today; ${wanted}`
}
