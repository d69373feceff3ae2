import {
  type CutCandidate,
  candidateCount,
  measureCutEvidence,
  recallCandidateCount,
} from './cut-evidence'
import {
  computeEffectiveSize,
  findIndexes,
  mapNumbers,
  type Numbers,
  pickNumbers,
  sum,
} from './numbers'
import { type AcceptedRows, listAcceptedRows } from './thresholds'
import { type GroupSpread, measureGroupSpread, type Units } from './units'

/** The labelled rows that a cut is chosen from. */
export interface CutSample {
  /** The value of each row that is compared with the threshold. For precision and recall, it is P(yes). */
  readonly scale: Numbers
  /**
   * 1 for each row that is a hit, else 0. For precision and recall, a hit is a row that is a yes; for accuracy, one whose decision is
   * right.
   */
  readonly hits: Numbers
  readonly weights: Numbers
  readonly units: Units
}

/** Lists the candidates for an accuracy, the highest threshold first. Each accepts a further tenth of the weight of all rows. */
export const listAccuracyCandidates = (sample: CutSample): ReadonlyArray<CutCandidate> => {
  const { scale, hits, weights } = sample
  return measureAcceptedRows(sample, listAcceptedRows(candidateCount, scale, hits, weights))
}

/**
 * Lists the candidates for a precision, the highest threshold first. Each accepts a further tenth of the expected yes: the sum of
 * weight · P(yes). Tenths of all rows would have no candidate for a yes that is rare.
 */
export const listPrecisionCandidates = (sample: CutSample): ReadonlyArray<CutCandidate> => {
  const { scale, hits, weights } = sample
  const expectedYes = mapNumbers(scale, (p, row) => p * (weights[row] as number))
  return measureAcceptedRows(
    sample,
    listAcceptedRows(candidateCount, scale, hits, weights, expectedYes),
  )
}

/** Measures the share of accepted rows that are hits, and the evidence for it. */
const measureAcceptedRows = (
  { hits, units }: CutSample,
  acceptedRows: ReadonlyArray<AcceptedRows>,
): ReadonlyArray<CutCandidate> => {
  const measureSpread = (indexes?: Numbers): GroupSpread | undefined =>
    units.isGrouped ? measureGroupSpread(hits, units, indexes) : undefined
  // If all accepted rows are hits, the correlation is that of all rows.
  const fallbackCorrelation = measureSpread()?.correlation
  return acceptedRows.map((accepted) => {
    const { rowCount, weight, hitWeight, sumOfSquaredWeights, indexes } = accepted
    // Kish's effective size: (Σ w)² / Σ w²
    const kishSize = weight ** 2 / sumOfSquaredWeights
    const evidence = measureCutEvidence(
      rowCount,
      kishSize,
      measureSpread(indexes),
      fallbackCorrelation,
    )
    return { accepted, figure: hitWeight / weight, evidence }
  })
}

/**
 * Lists the candidates for a recall, the lowest threshold first: it accepts all rows. The figure is the share of the yes that are
 * accepted, and the evidence for it is all yes. In groups, the design effect is that of being accepted.
 */
export const listRecallCandidates = (sample: CutSample): ReadonlyArray<CutCandidate> => {
  const { scale, hits, weights, units } = sample
  const positives = findIndexes(hits, (value) => value === 1)
  const positiveWeights = pickNumbers(weights, positives)
  const positiveWeight = sum(positiveWeights)
  const kishSize = computeEffectiveSize(positiveWeights)
  const measureSpread = (threshold: number): GroupSpread | undefined => {
    if (!units.isGrouped) return undefined
    const found = mapNumbers(scale, (value) => (value >= threshold ? 1 : 0))
    return measureGroupSpread(found, units, positives)
  }
  const candidates: CutCandidate[] = []
  // If all yes are accepted, their correlation cannot be measured. It is then that of the next higher threshold.
  let higherCorrelation: number | undefined
  for (const accepted of listAcceptedRows(recallCandidateCount, scale, hits, weights)) {
    const spread = measureSpread(accepted.threshold)
    const evidence = measureCutEvidence(positives.length, kishSize, spread, higherCorrelation)
    higherCorrelation = spread?.correlation ?? higherCorrelation
    // Without positives, every candidate is skipped for lack of evidence, so the figure 0 is not used.
    const figure = positiveWeight === 0 ? 0 : accepted.hitWeight / positiveWeight
    candidates.push({ accepted, figure, evidence })
  }
  return candidates.reverse()
}
