import { type Draft, Entries } from '../json/draft'
import type { QuestionPolicy, QuestionType } from '../policy/policy'
import type { Cut, Target } from '../statistics/cuts'
import type { CalibrationMap } from '../statistics/fits/map'

/** A policy found by `svc calibrate`, with the evidence for it. R23 */
export interface FoundPolicy {
  readonly questions: ReadonlyMap<string, FoundQuestionPolicy>
}

/** The policy for one question. */
export interface FoundQuestionPolicy extends QuestionPolicy {
  readonly cut: Cut
  readonly target: (Target & { readonly confidence: number }) | null
  /** The number of labelled rows. */
  readonly n: number
}

/** The value that a cut is on: the calibrated P(yes), or the largest calibrated probability. */
const scaleOf = (type: QuestionType): 'noul' | 'top' => (type === 'noul' ? 'noul' : 'top')

/** Writes the document of `svc calibrate`, which is `policy.json`. R23 */
export const policyDocument = ({ questions }: FoundPolicy): Draft => ({
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
          scale: scaleOf(type),
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
