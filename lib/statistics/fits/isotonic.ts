import { type Numbers, sortDescending } from '../numbers'

/**
 * The corners of a rising line, with `x` strictly ascending. The line is level before the first corner and
 * after the last.
 */
export type Points = ReadonlyArray<readonly [x: number, y: number]>

interface Block {
  readonly from: number
  readonly to: number
  readonly weight: number
  readonly y: number
}

const joinBlocks = (a: Block, b: Block): Block => ({
  from: a.from,
  to: b.to,
  weight: a.weight + b.weight,
  y: (a.weight * a.y + b.weight * b.y) / (a.weight + b.weight),
})

/**
 * Fits the rising step function with the least weighted squared distance to the truth (1 or 0), by pooling
 * adjacent violators: neighbours out of order are merged into their mean until there are none. Of each step
 * both ends are kept. Rows with equal `p` are merged first. Ayer et al. (1955); scikit-learn:
 * `IsotonicRegression(out_of_bounds="clip")`
 */
export const fitIsotonic = (p: Numbers, truth: Numbers, weights: Numbers): Points => {
  const blocks: Block[] = []
  for (const place of sortDescending(p).reverse()) {
    const x = p[place] as number
    const weight = weights[place] as number
    if (weight === 0) continue
    let block: Block = { from: x, to: x, weight, y: truth[place] as number }
    const before = blocks.at(-1)
    // Rows with equal values are one block, whatever their truth.
    if (before !== undefined && before.from === x && before.to === x) {
      blocks.pop()
      block = joinBlocks(before, block)
    }
    blocks.push(block)
  }
  const pooled: Block[] = []
  for (let block of blocks) {
    for (let last = pooled.at(-1); last !== undefined && last.y >= block.y; last = pooled.at(-1)) {
      block = joinBlocks(last, block)
      pooled.pop()
    }
    pooled.push(block)
  }
  return pooled.flatMap(
    ({ from, to, y }): Points =>
      from === to
        ? [[from, y]]
        : [
            [from, y],
            [to, y],
          ],
  )
}

/** The height of the line at `p`, linear between its corners. */
export const applyIsotonic = (points: Points, p: number): number => {
  let low = 0
  let high = points.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((points[middle]?.[0] as number) <= p) low = middle
    else high = middle
  }
  const [x0, y0] = points[low] as readonly [number, number]
  const [x1, y1] = points[high] as readonly [number, number]
  if (p <= x0) return y0
  if (p >= x1) return y1
  return y0 + ((p - x0) / (x1 - x0)) * (y1 - y0)
}
