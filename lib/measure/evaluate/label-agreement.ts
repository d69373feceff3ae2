import { formatShare, formatShareRange } from '../format-figures'
import type { LabelledRows } from '../rows/labelled-run'
import { type Interval, wilsonInterval } from '../statistics/intervals'

/** The agreement of the two labels of rows that a person labelled twice. */
export interface LabelAgreement {
  readonly repeatedRows: number
  readonly sameLabelRows: number
  /** `sameLabelRows` / `repeatedRows` */
  readonly share: number
  /** Wilson's 95 % interval of the share. */
  readonly interval: Interval
  /**
   * The accuracy that perfect answers would seem to have. It is the share a of first labels that are right. `low` assumes that each
   * disagreement is due to a wrong first label, so that a is `share`. `high` assumes that the two labels of a row are wrong
   * independently of each other. The labels then agree in about a² of the rows, so that a is about √share.
   */
  readonly ceiling: Interval
}

/** Measures the agreement of labels; `undefined` if no row was labelled twice. */
export const measureAgreement = ({ repeats }: LabelledRows): LabelAgreement | undefined => {
  const { rowCount: repeatedRows, sameLabelCount: sameLabelRows } = repeats
  if (repeatedRows === 0) return undefined
  const share = sameLabelRows / repeatedRows
  return {
    repeatedRows,
    sameLabelRows,
    share,
    interval: wilsonInterval(share, repeatedRows),
    ceiling: { low: share, high: Math.sqrt(share) },
  }
}

/** Encodes the member `again` of the document of `svc eval`. */
export const encodeAgreement = (agreement: LabelAgreement) => {
  const { repeatedRows, sameLabelRows, share, interval, ceiling } = agreement
  return { n: repeatedRows, same: sameLabelRows, share, ...interval, ceiling }
}

/** The minimum number of rows that were labelled twice for a sentence about them. */
const minRepeatedRows = 10

/** Describes the agreement of labels in a sentence; empty if too few rows were labelled twice. */
export const describeAgreement = (agreement: LabelAgreement | undefined): string => {
  if (agreement === undefined || agreement.repeatedRows < minRepeatedRows) return ''
  const { repeatedRows, sameLabelRows, interval, ceiling } = agreement
  if (sameLabelRows === repeatedRows)
    return `${repeatedRows} of ${repeatedRows} rows got the same label again (surely ${formatShare(interval.low)} or more); the same mistake made twice agrees too.`
  return `Shown twice, ${sameLabelRows} of ${repeatedRows} rows got the same label (surely ${formatShareRange(interval)}): by these labels even perfect answers would come out right in about ${formatShareRange(ceiling)}.`
}
