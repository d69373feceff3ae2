import { type Draft, Entries } from '../json/draft'
import type { Cut, Target } from '../statistics/cuts'
import type { CalibrationMap } from '../statistics/fits/map'
import type { QuestionType } from './labelled'

/** What is done with the answers to each question. R23 */
export interface Policy {
  readonly questions: ReadonlyMap<string, QuestionPolicy>
}

/** How one question's probabilities are corrected, and from where on its answers are accepted. */
export interface QuestionPolicy {
  readonly type: QuestionType
  /** The digest of the questions as they were asked. R1 */
  readonly questionsSha256: string
  /** Those that answered. */
  readonly models: ReadonlyArray<string>
  /** Null where too little is known; then every answer goes to review. */
  readonly map: CalibrationMap | null
  readonly cut: Cut
  readonly target: (Target & { readonly confidence: number }) | null
  /** Labelled rows. */
  readonly n: number
}

/** What a cut is on: the calibrated P(yes), or the largest calibrated probability. */
export const scaleOf = (type: QuestionType): 'noul' | 'top' => (type === 'noul' ? 'noul' : 'top')

/** The document of `svc calibrate`, `policy.json`. R23 */
export const policyDocument = ({ questions }: Policy): Draft => ({
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
