import * as assert from 'uvu/assert'
import type { Numbers, Table } from '../../../lib/measure/statistics/numbers'
import { outsideVectors } from '../../support/folders'

/** Inputs with what scikit-learn, SciPy and statsmodels make of them. */
export interface Vectors {
  readonly noul: ReadonlyArray<{
    readonly p: ReadonlyArray<number>
    readonly y: ReadonlyArray<boolean>
    readonly expected: Expected & { readonly at_half: Readonly<Record<string, number | null>> }
  }>
  readonly choice: ReadonlyArray<{
    readonly labels: ReadonlyArray<string>
    readonly probabilities: ReadonlyArray<ReadonlyArray<number>>
    readonly y: ReadonlyArray<string>
    readonly expected: Expected & {
      readonly confusion_matrix: ReadonlyArray<ReadonlyArray<number>>
      readonly per_class: Readonly<Record<string, Readonly<Record<string, number | null>>>>
    }
  }>
  readonly score: ReadonlyArray<{
    readonly levels: number
    readonly probabilities: ReadonlyArray<ReadonlyArray<number>>
    readonly y: ReadonlyArray<number>
    readonly expected: Expected & {
      readonly confusion_matrix: ReadonlyArray<ReadonlyArray<number>>
    }
  }>
  readonly wilson: ReadonlyArray<Readonly<Record<'k' | 'n' | 'low' | 'high', number>>>
  readonly clopper_pearson_lower: ReadonlyArray<
    Readonly<Record<'k' | 'n' | 'confidence' | 'lower', number>>
  >
  readonly mcnemar_exact: ReadonlyArray<Readonly<Record<'fixed' | 'broken' | 'p', number>>>
  readonly holm: ReadonlyArray<Readonly<Record<'p' | 'adjusted', ReadonlyArray<number>>>>
  readonly isotonic: ReadonlyArray<
    Readonly<Record<'x' | 'y' | 'at' | 'fitted', ReadonlyArray<number>>>
  >
  readonly platt: ReadonlyArray<
    Readonly<Record<'p' | 'y', ReadonlyArray<number>>> &
      Readonly<Record<'slope' | 'intercept' | 'log_loss', number>>
  >
  readonly temperature_noul: ReadonlyArray<
    Readonly<Record<'p' | 'y', ReadonlyArray<number>>> &
      Readonly<Record<'temperature' | 'log_loss', number>>
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

interface Expected {
  readonly calibration_curve: ReadonlyArray<Readonly<Record<string, number>>>
  readonly [figure: string]: unknown
}

/** Worked out by hand, for a checkout that has no vectors beside it. */
const own: Vectors = {
  noul: [],
  choice: [],
  score: [],
  wilson: [],
  clopper_pearson_lower: [{ k: 10, n: 10, confidence: 0.95, lower: 0.05 ** 0.1 }],
  mcnemar_exact: [
    { fixed: 6, broken: 0, p: 2 / 64 },
    { fixed: 9, broken: 2, p: (2 * (1 + 11 + 55)) / 2048 },
  ],
  holm: [{ p: [0.01, 0.04, 0.03, 0.005], adjusted: [0.03, 0.06, 0.06, 0.02] }],
  isotonic: [
    { x: [0.1, 0.2, 0.3], y: [0, 1, 0], at: [0, 0.15, 0.2, 1], fitted: [0, 0.25, 0.5, 0.5] },
  ],
  platt: [],
  temperature_noul: [],
  temperature_choice: [],
  kappa: [{ a: [0, 0, 1, 1], b: [0, 1, 1, 1], kappa: 0.5 }],
}

/** The vectors beside the checkout, else those. */
export const vectors = (outsideVectors('statistics-2.json') as Vectors | undefined) ?? own

/** The table of a noul question. */
export const tableOfYes = (values: Numbers): Table => ({ values, columns: 1 })

/** Equal within `tolerance`, or both null. */
export const near = (
  actual: number | null | undefined,
  expected: unknown,
  what: string,
  tolerance = 1e-9,
): void =>
  assert.ok(
    expected === null
      ? actual === null
      : typeof actual === 'number' &&
          typeof expected === 'number' &&
          Math.abs(actual - expected) <= tolerance,
    `${what}: ${actual}, expected ${expected}`,
  )
