/** The answers about one unit. */
export interface Readings {
  readonly behaviors: ReadonlyArray<BehaviorReading>
  /** The probability that the implementation contradicts the section. */
  readonly contradictsSpec: number
  /** The score of the tests, from 0 to 3. */
  readonly thoroughness: number
  readonly thoroughnessConfidence: number
  readonly weakestArea: string
  readonly weakestConfidence: number
}

/** The answer about one behavior. */
export interface BehaviorReading {
  /** The id of its question. */
  readonly id: string
  readonly behavior: string
  /** The probability that the tests exercise the behavior. */
  readonly covered: number
}

/** The thresholds of flags. A coverage or thoroughness below its minimum raises a flag, and a contradiction above its maximum. */
export interface Thresholds {
  readonly minCover: number
  readonly maxContradict: number
  readonly minThorough: number
}

/** A reading beyond its threshold. */
export interface Flag {
  /** The id of the question. */
  readonly id: string
  readonly message: string
  /** `true` if the unit lists the flag in `accepted`. It then does not fail the unit. */
  readonly accepted: boolean
}

/** The judgement on a unit. */
export interface ReviewVerdict {
  /** The flags, in the order of the questions. */
  readonly flags: ReadonlyArray<Flag>
  /** The entries of `accepted` whose flag did not fire, sorted and without duplicates. */
  readonly staleAcceptances: ReadonlyArray<string>
  readonly failing: boolean
}

export const formatTwoDecimals = (value: number): string => value.toFixed(2)

/**
 * Compares the unrounded readings with the thresholds. `accepted` lists flags that do not fail the unit, by the text of a behavior
 * or the id of a question. `weakest_area` never raises a flag.
 */
export const judgeReadings = (
  readings: Readings,
  accepted: ReadonlyArray<string>,
  thresholds: Thresholds,
): ReviewVerdict => {
  const fired = new Set<string>()
  const acceptances = new Set(accepted)
  const flags: Flag[] = []
  const raise = (id: string, name: string, message: string): void => {
    fired.add(name)
    flags.push({ id, message, accepted: acceptances.has(name) })
  }
  const { minCover, maxContradict, minThorough } = thresholds
  for (const { id, behavior, covered } of readings.behaviors) {
    if (!(covered < minCover)) continue
    const values = `${formatTwoDecimals(covered)} < ${formatTwoDecimals(minCover)}`
    raise(id, behavior, `${id}: coverage ${values} for "${behavior}"`)
  }
  if (readings.contradictsSpec > maxContradict) {
    const values = `${formatTwoDecimals(readings.contradictsSpec)} > ${formatTwoDecimals(maxContradict)}`
    raise('contradicts_spec', 'contradicts_spec', `contradicts_spec: ${values}`)
  }
  if (readings.thoroughness < minThorough) {
    const values = `${formatTwoDecimals(readings.thoroughness)} < ${formatTwoDecimals(minThorough)}`
    raise('thoroughness', 'thoroughness', `thoroughness: ${values}`)
  }
  return {
    flags,
    staleAcceptances: [...acceptances].filter((name) => !fired.has(name)).sort(),
    failing: flags.some((flag) => !flag.accepted),
  }
}

/** Formats a flag for reports. */
export const describeReviewFlag = (flag: Flag): string =>
  flag.accepted ? `${flag.message} (accepted)` : flag.message
