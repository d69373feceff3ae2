import * as E from 'fp-ts/Either'
import type { Destination } from '../../client/providers/destination'
import type { Failure } from '../../failure/failure'
import { createPackCheck, type PackProof, packConfidence } from '../../runs/batch/pack/pack-check'
import { checkPackSize, createPacking, type Packing } from '../../runs/batch/pack/packing'
import type { BatchPlan } from '../../runs/batch/plan'
import { clopperPearsonLower } from '../statistics/intervals'
import { RunPairing } from './pair-runs'

/**
 * Creates the comparison of packs with rows asked alone. It pairs records as `svc compare` does, with those given alone as run a, so its
 * figures are those of `svc compare alone.jsonl packed.jsonl`.
 */
const createPackProof = (): PackProof => {
  const byId = false
  const pairing = new RunPairing(byId)
  return {
    add: (alone, packed) => {
      // Answers that cannot be compared, such as those of another type, count for nothing, which makes the proof weaker.
      if (pairing.addB(packed) === undefined) pairing.addA(alone)
    },
    figuresOf: (questionId) => {
      const pairs = pairing.finish().questions.get(questionId)?.pairs
      if (pairs === undefined) return { n: 0, flips: 0, high: 1, meanShift: null }
      const n = pairs.pairCount - pairs.undecidedCount
      const flips = pairs.flipCount
      const { a: alone, b } = pairs.labelled.countRight()
      const labelledCount = pairs.labelled.count
      return {
        n,
        flips,
        // The upper bound of the share of flips is the lower bound of the share of the other rows, seen from 1.
        high: 1 - clopperPearsonLower(n - flips, n, packConfidence),
        meanShift: pairs.meanShift(),
        ...(labelledCount > 0 ? { right: { n: labelledCount, alone, packed: b } } : {}),
      }
    },
  }
}

/** The options of a run in packs. */
export interface PackingOptions extends Pick<Packing, 'names' | 'size' | 'addLostUsage'> {
  /** The number of rows to ask in both ways; 0 for none. */
  readonly checkRows: number
  /** The maximum share of rows whose decisions may differ, above 0 and below 1. */
  readonly maxFlips: number
}

/** Prepares a run in packs, with its check. Fails with a usage error if the service cannot be asked about several rows in one request. */
export const preparePacking = (
  { names, size, checkRows, maxFlips, addLostUsage }: PackingOptions,
  plan: BatchPlan,
  destination: Destination,
): E.Either<Failure, Packing> => {
  const maxStateBytes = checkPackSize(size, plan, destination, names.pack)
  if (E.isLeft(maxStateBytes)) return maxStateBytes
  const check =
    checkRows === 0
      ? undefined
      : createPackCheck({ rows: checkRows, maxFlips, plan, proof: createPackProof() })
  return E.right(
    createPacking({ names, size, maxStateBytes: maxStateBytes.right, check, addLostUsage }),
  )
}
