import type { Points } from './isotonic'
import type { Platt } from './platt'

/** The methods of correcting probabilities, the simplest first. R22 */
export const methods = ['none', 'temperature', 'platt', 'isotonic'] as const

/** The name of a method. */
export type Method = (typeof methods)[number]

/** A fitted correction of probabilities, as in `policy.json`. R23 */
export type CalibrationMap =
  | { readonly method: 'none' }
  | { readonly method: 'temperature'; readonly temperature: number }
  | ({ readonly method: 'platt' } & Platt)
  | { readonly method: 'isotonic'; readonly points: Points }
