/** The answer about one behavior. */
export interface BehaviorAnswer {
  /** The id of its question. */
  readonly id: string
  readonly behavior: string
  /** The probability that the tests exercise the behavior. */
  readonly covered: number
}

/** The answers about one unit: a section of the spec with its implementation and tests. */
export interface UnitAnswers {
  readonly behaviors: ReadonlyArray<BehaviorAnswer>
  /** The probability that the implementation contradicts the section of the spec. */
  readonly contradictsSpec: number
  /** The score of the tests, from 0 to 3. */
  readonly thoroughness: number
  readonly thoroughnessConfidence: number
  /** The area that the tests cover least, such as `retry`; `none` if coverage is even. */
  readonly weakestArea: string
  readonly weakestConfidence: number
}

/** Coverage or thoroughness below its minimum raises a flag. So does a probability of a contradiction above its maximum. */
export interface Thresholds {
  readonly minCover: number
  readonly maxContradict: number
  readonly minThorough: number
}

/** A finding of the review: an answer beyond its threshold. */
export interface ReviewFlag {
  /** The id of the question. */
  readonly id: string
  readonly message: string
  /** `true` if the unit lists the flag in `accepted`. It then does not fail the unit. */
  readonly accepted: boolean
}

/** The judgement on a unit. */
export interface ReviewVerdict {
  /** The flags, in the order of the questions. An accepted flag is one of them. */
  readonly flags: ReadonlyArray<ReviewFlag>
  /** The entries of `accepted` whose flag was not raised, sorted and without duplicates. */
  readonly staleAcceptances: ReadonlyArray<string>
  /** `true` if a flag is not accepted. */
  readonly failing: boolean
}

export const formatTwoDecimals = (value: number): string => value.toFixed(2)

/**
 * Compares the unrounded answers with the thresholds. `accepted` lists flags that do not fail the unit. It names a behavior by
 * its text, because the ids of behaviors change with their order, and other flags by the id of their question. The answer to
 * `weakest_area` never raises a flag.
 */
export const judgeUnitAnswers = (
  answers: UnitAnswers,
  accepted: ReadonlyArray<string>,
  thresholds: Thresholds,
): ReviewVerdict => {
  const acceptedKeys = new Set(accepted)
  const raisedKeys = new Set<string>()
  const flags: ReviewFlag[] = []
  /** `acceptanceKey` is the entry of `accepted` that accepts the flag. */
  const raiseFlag = (id: string, message: string, acceptanceKey = id): void => {
    raisedKeys.add(acceptanceKey)
    flags.push({ id, message, accepted: acceptedKeys.has(acceptanceKey) })
  }
  const { minCover, maxContradict, minThorough } = thresholds
  for (const { id, behavior, covered } of answers.behaviors) {
    if (covered >= minCover) continue
    const comparison = formatComparison(covered, '<', minCover)
    raiseFlag(id, `${id}: coverage ${comparison} for "${behavior}"`, behavior)
  }
  const { contradictsSpec, thoroughness } = answers
  if (contradictsSpec > maxContradict) {
    const comparison = formatComparison(contradictsSpec, '>', maxContradict)
    raiseFlag('contradicts_spec', `contradicts_spec: ${comparison}`)
  }
  if (thoroughness < minThorough) {
    const comparison = formatComparison(thoroughness, '<', minThorough)
    raiseFlag('thoroughness', `thoroughness: ${comparison}`)
  }
  return {
    flags,
    staleAcceptances: [...acceptedKeys].filter((key) => !raisedKeys.has(key)).sort(),
    failing: flags.some((flag) => !flag.accepted),
  }
}

const formatComparison = (value: number, sign: '<' | '>', threshold: number): string =>
  `${formatTwoDecimals(value)} ${sign} ${formatTwoDecimals(threshold)}`

/** Formats a flag for reports. */
export const describeReviewFlag = (flag: ReviewFlag): string =>
  flag.accepted ? `${flag.message} (accepted)` : flag.message
