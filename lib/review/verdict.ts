/** The answers about one unit. */
export interface Readings {
  readonly behaviors: ReadonlyArray<BehaviorReading>
  /** The probability that the implementation contradicts the section. */
  readonly contradictsSpec: number
  /** The score from 0 to 3. */
  readonly thoroughness: number
  readonly thoroughnessConfidence: number
  readonly weakestArea: string
  readonly weakestConfidence: number
}

/** The probability (`covered`) that the tests exercise a behavior. `id` is that of its question. */
export interface BehaviorReading {
  readonly id: string
  readonly behavior: string
  readonly covered: number
}

/**
 * The thresholds of flags. A coverage or thoroughness below its threshold raises a flag, as does a contradiction
 * above.
 */
export interface Thresholds {
  readonly minCover: number
  readonly maxContradict: number
  readonly minThorough: number
}

/** A flag: a threshold that was crossed. */
export interface Flag {
  /** The question whose answer crossed it. */
  readonly id: string
  readonly message: string
  readonly accepted: boolean
}

/** The judgement on a unit. */
export interface ReviewVerdict {
  /** The flags, in the order of the questions. */
  readonly flags: ReadonlyArray<Flag>
  /** Accepted entries whose flag did not fire, sorted, each once. */
  readonly staleAcceptances: ReadonlyArray<string>
  readonly failing: boolean
}

/** Formats a number with two decimals, as in messages and tables. */
export const formatTwoDecimals = (value: number): string => value.toFixed(2)

/**
 * Compares the unrounded readings with the thresholds. A flag that `accepted` names, by the behavior's text or the
 * question's id, does not make the unit fail. `weakest_area` never raises a flag.
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
