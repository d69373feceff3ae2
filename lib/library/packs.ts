import * as E from 'fp-ts/Either'
import type { Destination } from '../client/providers/destination'
import { type Failure, usage } from '../failure/failure'
import { preparePacking } from '../measure/compare/pack-proof'
import { explainDifferingPacks } from '../runs/batch/pack/describe-packs'
import { describeTooManyFlips } from '../runs/batch/pack/pack-check'
import type { Packing, PackOptionNames } from '../runs/batch/pack/packing'
import type { BatchPlan } from '../runs/batch/plan'
import { PackError } from './errors'

/** The options of a batch that asks about several rows in one request. */
export interface PackOptions {
  /**
   * Asks about this number of rows in one request, 2 to 400. Before that, the first rows are also asked alone. If the answers differ too
   * often, the batch throws a `PackError` after the records of these rows.
   */
  readonly pack?: number
  /** With `pack`, the number of rows to ask in both ways; 200 by default, 0 for none. */
  readonly packCheck?: number
  /** With `pack`, the share of rows whose decisions may differ, above 0 and below 1; 0.05 by default. */
  readonly maxFlips?: number
}

/** The options that cannot be combined with packs. */
interface Conflicts {
  readonly permute?: number
  readonly repeat?: number
}

const defaultPackCheck = 200
const defaultMaxFlips = 0.05

const packOptionNames: PackOptionNames = {
  pack: 'pack',
  packCheck: 'packCheck',
  maxFlips: 'maxFlips',
}

/** Prepares the packs of a batch; `undefined` without `pack`. Fails with a usage error if they cannot be asked. */
export const preparePacks = (
  { pack: size, packCheck, maxFlips, permute, repeat }: PackOptions & Conflicts,
  plan: BatchPlan,
  destination: Destination,
): E.Either<Failure, Packing | undefined> => {
  if (size === undefined) {
    if (packCheck !== undefined) return E.left(usage('packCheck needs pack'))
    return maxFlips === undefined ? E.right(undefined) : E.left(usage('maxFlips needs pack'))
  }
  if (permute !== undefined) return E.left(usage('pack cannot be combined with permute'))
  if (repeat !== undefined) return E.left(usage('pack cannot be combined with repeat'))
  const limit = maxFlips ?? defaultMaxFlips
  if (!(limit > 0 && limit < 1))
    return E.left(usage(`maxFlips must be above 0 and below 1, got ${limit}`))
  // No summary counts the tokens of answers that are in no record.
  const addLostUsage = () => undefined
  const checkRows = packCheck ?? defaultPackCheck
  return preparePacking(
    { names: packOptionNames, size, checkRows, maxFlips: limit, addLostUsage },
    plan,
    destination,
  )
}

/** Creates the error of a batch whose packs differ from rows asked alone. */
export const createPackError = (packing: Packing): PackError => {
  const flips = packing.check === undefined ? [] : describeTooManyFlips(packing.check)
  const message = [...flips, explainDifferingPacks(packing)].join('; ')
  return new PackError(message, { kind: 'usage', attempts: 1 })
}
