import { formatCount } from '../../text/table'
import { formatWholePercent } from '../format-figures'
import type { CutSample } from '../statistics/cut-candidates'
import { type Cut, type CutTarget, chooseCut } from '../statistics/cuts'

const describedAccuracies = [0.8, 0.9, 0.95, 0.98]

/** The confidence with which the rows that pass have the described accuracy. */
const passingConfidence = 0.95

/**
 * Describes for several accuracies the share of rows that can pass without a person, or the labels that are missing for a cut (a
 * threshold at or above which answers are accepted). Returns a line for each accuracy, or one line if there are too few groups.
 */
export const describePassingShares = (sample: CutSample): ReadonlyArray<string> => {
  const cuts = describedAccuracies.map((value) =>
    chooseCut({ figure: 'accuracy', value }, passingConfidence, sample),
  )
  const [firstCut] = cuts
  // The higher accuracies take at least as many groups.
  if (firstCut?.missingLabels?.kind === 'groups')
    return [`no rows pass without a person today; ${describeMissingLabels('that', firstCut)}`]
  return cuts.map(
    (cut, i) =>
      `${formatWholePercent(describedAccuracies[i] as number)} right: ${describeCut(cut)}`,
  )
}

const describeCut = (cut: Cut): string =>
  cut.threshold === null
    ? `no rows pass without a person today; ${describeMissingLabels('that', cut)}`
    : `${formatWholePercent(cut.acceptedShare)} of rows pass without a person today`

/**
 * Describes the labels that are missing for a cut. `goal` is the subject of the sentence, such as `accuracy 0.9` in "accuracy 0.9
 * takes at least 20 more labelled rows". After a sentence that names the goal, it is `that`.
 */
const describeMissingLabels = (goal: string, { missingLabels }: Cut): string => {
  switch (missingLabels?.kind) {
    case 'groups':
      return `${goal} takes at least ${formatCount(missingLabels.count, 'more group')}`
    case 'rows':
      return `${goal} takes at least ${formatCount(missingLabels.count, 'more labelled row')}`
    case 'estimate':
      return `${goal} takes about ${formatCount(missingLabels.count, 'more labelled row')} if answers stay as right`
    // More labels would not help.
    default:
      return 'even the surest answers are not right that often'
  }
}

/** The lower targets that are tried if a target has no cut, the highest first. */
const lowerTargets = [0.98, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5]

/**
 * Describes, for a target without a cut, the labels that are missing. Also names the highest lower target that has a cut today, or
 * says that none has. If even the lowest takes more groups, lower targets are not mentioned. Empty if the target has a cut, or is a
 * coverage. `chooseCutFor` chooses the cut for a lower target.
 */
export const describeLowerTarget = (
  target: CutTarget,
  cut: Cut,
  chooseCutFor: (target: CutTarget) => Cut,
): string => {
  if (cut.threshold !== null || target.figure === 'coverage') return ''
  const missing = describeMissingLabels(`${target.figure} ${target.value}`, cut)
  let lacksGroups = cut.missingLabels?.kind === 'groups'
  for (const value of lowerTargets.filter((lower) => lower < target.value)) {
    const lowerCut = chooseCutFor({ ...target, value })
    if (lowerCut.threshold !== null)
      return `; ${target.figure} ${value} holds today and accepts ${formatWholePercent(lowerCut.acceptedShare)} of rows; ${missing}`
    lacksGroups = lowerCut.missingLabels?.kind === 'groups'
  }
  return lacksGroups ? `; ${missing}` : `; no lower target holds today; ${missing}`
}
