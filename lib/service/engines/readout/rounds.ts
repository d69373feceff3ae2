import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Problem } from '../../contract/problem'

/** Returns the distribution over some of the options, which are given by their indexes. */
type AskAmong = (options: ReadonlyArray<number>) => TE.TaskEither<Problem, ReadonlyArray<number>>

/**
 * Reads the distribution over options if one call can distinguish at most `most` of them. More options take another
 * round. Each round asks about the options in blocks of even size, and then about the finalists: the best option of
 * every block and, while there is room in one call, the next best overall. A finalist gets its share from the final.
 * Any other option keeps its ratio to the finalists of its block. This equals the result of one call over all
 * options, provided that the ratio of two options does not depend on the other options shown.
 */
export const askInRounds = (
  options: ReadonlyArray<number>,
  most: number,
  ask: AskAmong,
): TE.TaskEither<Problem, ReadonlyArray<number>> => {
  if (options.length === 1) return TE.right([1])
  if (options.length <= most) return ask(options)
  const blocks = divide(options, Math.ceil(options.length / most))
  return pipe(
    blocks,
    TE.traverseArray(ask),
    TE.chain((shares) => {
      const finalists = pickFinalists(blocks, shares, most)
      return pipe(
        askInRounds(finalists, most, ask),
        TE.map((final) => composeShares(blocks, shares, finalists, final)),
      )
    }),
  )
}

type Blocks = ReadonlyArray<ReadonlyArray<number>>
type Shares = ReadonlyArray<ReadonlyArray<number>>

/** Divides options into blocks whose sizes differ by at most one. */
const divide = (options: ReadonlyArray<number>, blocks: number): Blocks => {
  const start = (block: number): number => Math.round((block * options.length) / blocks)
  return Array.from({ length: blocks }, (_, block) => options.slice(start(block), start(block + 1)))
}

/** Picks the best option of every block, then the next best overall while they are fewer than `most`; in order. */
const pickFinalists = (blocks: Blocks, shares: Shares, most: number): ReadonlyArray<number> => {
  const ranked = blocks.flatMap((block, b) =>
    block
      .map((option, i) => ({ option, share: shares[b]?.[i] ?? 0 }))
      .sort((one, other) => other.share - one.share || one.option - other.option)
      .map((entry, place) => ({ ...entry, isBest: place === 0 })),
  )
  return ranked
    .sort((one, other) => Number(other.isBest) - Number(one.isBest) || other.share - one.share)
    .slice(0, Math.max(most, blocks.length))
    .map(({ option }) => option)
    .sort((one, other) => one - other)
}

/** Joins the shares of all rounds into one distribution, in the order of the options. */
const composeShares = (
  blocks: Blocks,
  shares: Shares,
  finalists: ReadonlyArray<number>,
  final: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const places = new Map(finalists.map((option, place) => [option, final[place] ?? 0]))
  const weights = blocks.flatMap((block, b) => {
    const chosen = block.map((option, i) => ({
      own: places.get(option),
      share: shares[b]?.[i] ?? 0,
    }))
    const finalShare = sum(chosen.map(({ own }) => own ?? 0))
    const blockShare = sum(chosen.map(({ own, share }) => (own === undefined ? 0 : share)))
    return chosen.map(({ own, share }) => own ?? (share * finalShare) / blockShare)
  })
  const total = sum(weights)
  return weights.map((weight) => weight / total)
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)
