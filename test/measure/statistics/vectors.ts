import * as assert from 'uvu/assert'
import type { Numbers, Table } from '../../../lib/measure/statistics/numbers'
import { readVectors } from '../../support/vectors'

interface ExpectedFigures {
  readonly calibration_curve: ReadonlyArray<Readonly<Record<string, number>>>
  readonly [figure: string]: unknown
}

/**
 * Inputs, each with the figures that scikit-learn, SciPy and statsmodels compute for it. The type `noul` is that of yes/no questions.
 * `probabilities` has the probability of each label, for each row. `y` has the right label of each row.
 */
export interface Vectors {
  readonly noul: ReadonlyArray<{
    /** P(yes) of each row. */
    readonly p: ReadonlyArray<number>
    readonly y: ReadonlyArray<boolean>
    readonly expected: ExpectedFigures & {
      readonly at_half: Readonly<Record<string, number | null>>
    }
  }>
  readonly choice: ReadonlyArray<{
    readonly labels: ReadonlyArray<string>
    readonly probabilities: ReadonlyArray<ReadonlyArray<number>>
    readonly y: ReadonlyArray<string>
    readonly expected: ExpectedFigures & {
      readonly confusion_matrix: ReadonlyArray<ReadonlyArray<number>>
      readonly per_class: Readonly<Record<string, Readonly<Record<string, number | null>>>>
    }
  }>
  readonly score: ReadonlyArray<{
    readonly levels: number
    readonly probabilities: ReadonlyArray<ReadonlyArray<number>>
    readonly y: ReadonlyArray<number>
    readonly expected: ExpectedFigures & {
      readonly confusion_matrix: ReadonlyArray<ReadonlyArray<number>>
    }
  }>
  /** The ends of an interval, if `k` of `n` draws are successes. */
  readonly wilson: ReadonlyArray<Readonly<Record<'k' | 'n' | 'low' | 'high', number>>>
  /** The lower bound of the share, if `k` of `n` draws are successes. */
  readonly clopper_pearson_lower: ReadonlyArray<
    Readonly<Record<'k' | 'n' | 'confidence' | 'lower', number>>
  >
  /** The p-value, if a second run fixes `fixed` wrong decisions and breaks `broken` right ones. */
  readonly mcnemar_exact: ReadonlyArray<Readonly<Record<'fixed' | 'broken' | 'p', number>>>
  /** p-values, and the same p-values adjusted by Holm's method. */
  readonly holm: ReadonlyArray<Readonly<Record<'p' | 'adjusted', ReadonlyArray<number>>>>
  /** P(yes) of each row as `p`, and its truth as `y`: 1 for yes, 0 for no. */
  readonly platt: ReadonlyArray<
    Readonly<Record<'p' | 'y', ReadonlyArray<number>>> &
      Readonly<Record<'slope' | 'intercept' | 'log_loss', number>>
  >
  readonly temperature_choice: ReadonlyArray<{
    readonly probabilities: ReadonlyArray<ReadonlyArray<number>>
    /** The index of the right label of each row. */
    readonly y: ReadonlyArray<number>
    readonly temperature: number
    readonly log_loss: number
  }>
  /** The classes that the raters `a` and `b` gave to the same rows. */
  readonly kappa: ReadonlyArray<
    Readonly<Record<'a' | 'b', ReadonlyArray<number>>> & { readonly kappa: number }
  >
}

export const vectors = readVectors<Vectors>('statistics-2.json')

/** Creates the table of a noul question, with P(yes) as its only column. */
export const createYesTable = (values: Numbers): Table => ({ values, columns: 1 })

/** Asserts that two numbers differ by at most `tolerance`, or that both are null. `name` is the figure's name in messages. */
export const assertNear = (
  actual: number | null | undefined,
  expected: unknown,
  name: string,
  tolerance = 1e-9,
): void => {
  const isNear =
    expected === null
      ? actual === null
      : Math.abs((actual ?? Number.NaN) - (expected as number)) <= tolerance
  assert.ok(isNear, `${name}: ${actual}, expected ${expected}`)
}
