import { formatCount } from '../../failure/text/table'
import { formatWholePercent } from '../format-figures'
import { type Cut, type CutSample, type CutTarget, chooseCut } from '../statistics/cuts'

/** The accuracies for which svc describes the share of rows that passes. */
const ladderAccuracies = [0.8, 0.9, 0.95, 0.98]

/** The confidence of the ladder's lower bounds. */
const ladderConfidence = 0.95

/**
 * Describes for several accuracies the share of rows that passes without a person today, or the number of labels that are missing
 * for a cut. Returns a line for each accuracy, or a single line if there are too few groups.
 */
export const describePassingShares = (sample: CutSample): ReadonlyArray<string> => {
  const cuts = ladderAccuracies.map((value) =>
    chooseCut({ figure: 'accuracy', value }, ladderConfidence, sample),
  )
  const [first] = cuts
  if (first?.missingLabels?.kind === 'groups')
    return [`no rows pass without a person today; ${explainMissing('that', first)}`]
  return cuts.map(
    (cut, i) => `${formatWholePercent(ladderAccuracies[i] as number)} right: ${describePass(cut)}`,
  )
}

const describePass = (cut: Cut): string =>
  cut.threshold === null
    ? `no rows pass without a person today; ${explainMissing('that', cut)}`
    : `${formatWholePercent(cut.acceptedShare)} of rows pass without a person today`

/** Describes the labels that are missing for a cut. `what` is the subject of the sentence. */
const explainMissing = (what: string, { missingLabels }: Cut): string => {
  switch (missingLabels?.kind) {
    case 'groups':
      return `${what} takes at least ${formatCount(missingLabels.count, 'more group')}`
    case 'rows':
      return `${what} takes at least ${formatCount(missingLabels.count, 'more labelled row')}`
    case 'estimate':
      return `${what} takes about ${formatCount(missingLabels.count, 'more labelled row')} if answers stay as right`
    default:
      return 'even the surest answers are not right that often'
  }
}

/** The lower targets that are tried if a target has no cut, the highest first. */
const lowerTargets = [0.98, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5]

/**
 * Describes, for a target without a cut, a lower target that has one today, and the number of labels that are missing for the
 * target. Empty if the target has a cut, or is a coverage.
 */
export const describeLowerTarget = (
  target: CutTarget,
  cut: Cut,
  confidence: number,
  sample: CutSample,
): string => {
  if (cut.threshold !== null || target.figure === 'coverage') return ''
  const missing = explainMissing(`${target.figure} ${target.value}`, cut)
  if (cut.missingLabels?.kind === 'groups') return `; ${missing}`
  for (const value of lowerTargets.filter((lower) => lower < target.value)) {
    const { threshold, acceptedShare } = chooseCut(
      { figure: target.figure, value },
      confidence,
      sample,
    )
    if (threshold !== null)
      return `; ${target.figure} ${value} holds today and accepts ${formatWholePercent(acceptedShare)} of rows; ${missing}`
  }
  return `; no lower target holds today; ${missing}`
}
