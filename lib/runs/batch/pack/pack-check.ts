import * as E from 'fp-ts/Either'
import { formatCount } from '../../../text/table'
import { decodeRecord, type RunRecord } from '../../record/decode'
import {
  type BatchItem,
  type EncodedRecord,
  encodeAnsweredRecord,
  type ItemAnswers,
} from '../batch-item'
import type { BatchPlan } from '../plan'

/** The differences between the answers to a question in packs and those given alone. */
export interface PackFigures {
  /** The number of rows with a decision in both ways. */
  readonly n: number
  /** The number of these rows whose decisions differ. */
  readonly flips: number
  /** The one-sided 95 % upper bound of the share of rows whose decisions differ. */
  readonly high: number
  /** The mean total variation distance of the probabilities; null if probabilities are missing. */
  readonly meanShift: number | null
  /** The number of labelled rows, and of the right decisions among them; absent without labels. */
  readonly right?: { readonly n: number; readonly alone: number; readonly packed: number }
}

/** Compares answers given alone with answers to the same rows in packs. */
export interface PackProof {
  /** Adds the records of a row that was asked in both ways. */
  readonly add: (alone: RunRecord, packed: RunRecord) => void
  /** Returns the figures of a question. */
  readonly figuresOf: (questionId: string) => PackFigures
}

/** The options of a check. */
export interface PackCheckOptions {
  /** The number of rows to check. */
  readonly rows: number
  /** The maximum share of rows whose decisions may differ, above 0 and below 1. */
  readonly maxFlips: number
  readonly plan: BatchPlan
  readonly proof: PackProof
}

/** The check of packs at the start of a run. */
export interface PackCheck {
  readonly rows: number
  readonly maxFlips: number
  /** The smallest number of rows that can pass the check. */
  readonly minRows: number
  /** Adds the processing of a pack whose rows are asked alone too. */
  readonly track: (processing: Promise<unknown>) => void
  /** Returns `true` if a pack was tracked. */
  readonly hasBegun: () => boolean
  /** Resolves when all tracked packs are processed. */
  readonly finished: () => Promise<void>
  /** Compares the answers to a row. */
  readonly compare: (item: BatchItem, alone: EncodedRecord, packed: ItemAnswers) => void
  /** Returns the number of rows that were compared. */
  readonly checkedRows: () => number
  /** Returns the figures of each question. */
  readonly figures: () => ReadonlyMap<string, PackFigures>
  /** Returns `true` if too many decisions may differ. Call it when the check is finished. */
  readonly hasFailed: () => boolean
}

/** The level of the one-sided bound on the share of flips: 95 %. */
export const packConfidence = 0.95

/**
 * The smallest number n of rows without a flip whose bound is at most `maxFlips`: the bound of Clopper and Pearson is then
 * 1 − (1 − 0.95)^(1/n).
 */
export const countMinRows = (maxFlips: number): number =>
  Math.ceil(Math.log(1 - packConfidence) / Math.log1p(-maxFlips))

/** Creates the check of a run. */
export const createPackCheck = ({ rows, maxFlips, plan, proof }: PackCheckOptions): PackCheck => {
  const processing = new Set<Promise<unknown>>()
  let hasBegun = false
  let checkedRows = 0
  // Computed once, because the loop asks before every group.
  let hasFailed: boolean | undefined
  const figures = () =>
    new Map(plan.template.questions.map(([id]) => [id, proof.figuresOf(id)] as const))
  return {
    rows,
    maxFlips,
    minRows: countMinRows(maxFlips),
    track: (pack) => {
      hasBegun = true
      processing.add(pack)
      void pack.then(() => processing.delete(pack))
    },
    hasBegun: () => hasBegun,
    finished: async () => {
      await Promise.all(processing)
    },
    compare: (item, alone, packed) => {
      const packedRecord = encodeAnsweredRecord(item, plan, { ...packed, isReused: false })
      const decodedAlone = decodeRecord(alone.line)
      const decodedPacked = decodeRecord(packedRecord.line)
      // svc wrote both lines, so they can be decoded.
      if (E.isLeft(decodedAlone) || E.isLeft(decodedPacked)) return
      checkedRows += 1
      proof.add(decodedAlone.right, decodedPacked.right)
    },
    checkedRows: () => checkedRows,
    figures,
    hasFailed: () => {
      hasFailed ??= [...figures().values()].some(({ high }) => high > maxFlips)
      return hasFailed
    },
  }
}

/** Formats a share as a percentage: `3.83%`. */
export const formatFlipShare = (share: number): string => `${Number((share * 100).toFixed(2))}%`

/** Describes the flips of a question: `"bug": 3 of 200 rows decided otherwise, with 95% confidence at most 3.83% of all`. */
const describeFlips = (id: string, { n, flips, high }: PackFigures): string =>
  n === 0
    ? `"${id}": no row has a decision both alone and in a pack`
    : `"${id}": ${flips} of ${formatCount(n, 'row')} decided otherwise, with 95% confidence at most ${formatFlipShare(high)} of all`

/** Describes the flips of each question that are, or may be, above the limit. */
export const describeTooManyFlips = ({
  figures,
  maxFlips,
}: Pick<PackCheck, 'maxFlips' | 'figures'>): ReadonlyArray<string> =>
  [...figures()]
    .filter(([, { high }]) => high > maxFlips)
    .map(([id, questionFigures]) => describeFlips(id, questionFigures))

/** Describes the question whose share of flips may be the largest. */
export const describeWorstQuestion = ({ figures }: Pick<PackCheck, 'figures'>): string => {
  const [worst] = [...figures()].sort(([, a], [, b]) => b.high - a.high)
  // A run has at least one question.
  return worst === undefined ? '' : describeFlips(...worst)
}
