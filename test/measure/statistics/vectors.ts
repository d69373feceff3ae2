import * as assert from 'uvu/assert'
import type { Numbers, Table } from '../../../lib/measure/statistics/numbers'
import { readVectors } from '../../support/vectors'

interface ExpectedFigures {
  readonly calibration_curve: ReadonlyArray<Readonly<Record<string, number>>>
  readonly [figure: string]: unknown
}

/**
 * Inputs, each with the figures that scikit-learn, SciPy and statsmodels compute for it. `p` are probabilities of a yes,
 * `probabilities` those of each label, and `y` the right labels. `noul` are yes/no questions. `k` of `n` draws are successes.
 */
export interface Vectors {
  readonly noul: ReadonlyArray<{
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
  readonly wilson: ReadonlyArray<Readonly<Record<'k' | 'n' | 'low' | 'high', number>>>
  readonly clopper_pearson_lower: ReadonlyArray<
    Readonly<Record<'k' | 'n' | 'confidence' | 'lower', number>>
  >
  readonly mcnemar_exact: ReadonlyArray<Readonly<Record<'fixed' | 'broken' | 'p', number>>>
  readonly holm: ReadonlyArray<Readonly<Record<'p' | 'adjusted', ReadonlyArray<number>>>>
  readonly platt: ReadonlyArray<
    Readonly<Record<'p' | 'y', ReadonlyArray<number>>> &
      Readonly<Record<'slope' | 'intercept' | 'log_loss', number>>
  >
  readonly temperature_choice: ReadonlyArray<{
    readonly probabilities: ReadonlyArray<ReadonlyArray<number>>
    readonly y: ReadonlyArray<number>
    readonly temperature: number
    readonly log_loss: number
  }>
  readonly kappa: ReadonlyArray<
    Readonly<Record<'a' | 'b', ReadonlyArray<number>>> & { readonly kappa: number }
  >
}

export const vectors = readVectors<Vectors>('statistics.json')

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
