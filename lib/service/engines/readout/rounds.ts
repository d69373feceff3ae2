import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Problem } from '../../contract/problem'
import { mostLetters } from './letters'

/** Returns the distribution over some of the options, which are given by their indexes. */
type AskAmong = (options: ReadonlyArray<number>) => TE.TaskEither<Problem, ReadonlyArray<number>>

/**
 * The distribution over `count` options, when one call can tell at most `mostLetters` of them apart. More
 * options take two rounds. The first asks about the options in blocks of even size. The second is a final
 * between the best option of every block and the next best overall. An option in the final gets its share from
 * there. Any other keeps its ratio to the finalists of its block. This equals the result of one call over all
 * options, provided that the ratio of two options does not depend on which others are shown. D40
 */
export const inRounds = (
  count: number,
  ask: AskAmong,
): TE.TaskEither<Problem, ReadonlyArray<number>> => {
  if (count === 1) return TE.right([1])
  if (count <= mostLetters) return ask(range(0, count))
  const blocks = blocksOf(count)
  return pipe(
    blocks,
    TE.traverseArray(ask),
    TE.chain((shares) => {
      const finalists = finalistsOf(blocks, shares)
      return pipe(
        ask(finalists),
        TE.map((final) => compose(blocks, shares, finalists, final)),
      )
    }),
  )
}

type Blocks = ReadonlyArray<ReadonlyArray<number>>
type Shares = ReadonlyArray<ReadonlyArray<number>>

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, i) => from + i)

const blocksOf = (count: number): Blocks => {
  const blocks = Math.ceil(count / mostLetters)
  const start = (block: number): number => Math.round((block * count) / blocks)
  return range(0, blocks).map((block) => range(start(block), start(block + 1)))
}

/**
 * The options of the final, in order: the best of every block, then the next best until all letters are used.
 */
const finalistsOf = (blocks: Blocks, shares: Shares): ReadonlyArray<number> => {
  const ranked = blocks.flatMap((block, b) =>
    block
      .map((option, i) => ({ option, share: shares[b]?.[i] ?? 0 }))
      .sort((one, other) => other.share - one.share || one.option - other.option)
      .map((entry, place) => ({ ...entry, best: place === 0 })),
  )
  return ranked
    .sort((one, other) => Number(other.best) - Number(one.best) || other.share - one.share)
    .slice(0, mostLetters)
    .map(({ option }) => option)
    .sort((one, other) => one - other)
}

const compose = (
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
