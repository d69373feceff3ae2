import { type Draft, Entries } from '../json/draft'
import type { QuestionPolicy } from '../policy/policy'
import type { Cut, Target } from '../statistics/cuts'
import type { CalibrationMap } from '../statistics/fits/map'

/** A policy found by `svc calibrate`, with the evidence for it, by question id. R23 */
export type FoundPolicy = ReadonlyMap<string, FoundQuestionPolicy>

/** The policy for one question. */
export interface FoundQuestionPolicy extends QuestionPolicy {
  readonly cut: Cut
  readonly target: (Target & { readonly confidence: number }) | null
  /** The number of labelled rows. */
  readonly n: number
}

/** Writes the document of `svc calibrate`, which is `policy.json`. R23 */
export const policyDocument = (questions: FoundPolicy): Draft => ({
  questions: new Entries(
    [...questions].map(([id, { type, questionsSha256, models, map, cut, target, n }]) => [
      id,
      {
        type,
        questions_sha256: questionsSha256,
        models,
        map: map && mapDocument(map),
        cut: {
          at: cut.at,
          // What is compared: the calibrated P(yes), or the largest calibrated probability.
          scale: type === 'noul' ? 'noul' : 'top',
          n: cut.n,
          low: cut.low,
          target: target && {
            figure: target.figure,
            value: target.value,
            confidence: target.figure === 'coverage' ? undefined : target.confidence,
          },
          needs: cut.needs,
          why: cut.why,
        },
        n,
      },
    ]),
  ),
})

const mapDocument = (map: CalibrationMap): Draft =>
  map.method === 'isotonic'
    ? { method: map.method, points: map.points.map(([x, y]) => [x, y]) }
    : { ...map }
