import type { Numbers } from '../numbers'

/**
 * The corners of a rising line, with `x` strictly ascending. The line is level before the first corner and
 * after the last.
 */
export type Points = ReadonlyArray<readonly [x: number, y: number]>

/** Rows that get the same height. */
interface Block {
  readonly from: number
  to: number
  weight: number
  y: number
}

/**
 * Fits the rising step function with the least weighted squared distance to the truth (1 or 0), by pooling
 * adjacent violators: neighbours out of order are merged into their mean until there are none. Of each step
 * both ends are kept. `order` has the places of the rows by ascending `p`; those with equal `p` are merged first. Ayer et
 * al. (1955); scikit-learn: `IsotonicRegression(out_of_bounds="clip")`
 */
export const fitIsotonic = (
  p: Numbers,
  order: Uint32Array,
  truth: Numbers,
  weights: Numbers,
): Points => {
  const blocks: Block[] = []
  for (const place of order) {
    const x = p[place] as number
    const weight = weights[place] as number
    if (weight === 0) continue
    const y = truth[place] as number
    const last = blocks.at(-1)
    if (last?.to === x) addTo(last, x, weight, y)
    else blocks.push({ from: x, to: x, weight, y })
  }
  const pooled: Block[] = []
  for (const block of blocks) {
    let joined = block
    for (let last = pooled.at(-1); last !== undefined && last.y >= joined.y; last = pooled.at(-1)) {
      addTo(last, joined.to, joined.weight, joined.y)
      joined = last
      pooled.pop()
    }
    pooled.push(joined)
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

/** Lets a block reach to `to`, and takes the mean of its height and `y` by their weights. */
const addTo = (block: Block, to: number, weight: number, y: number): void => {
  block.to = to
  block.y = (block.weight * block.y + weight * y) / (block.weight + weight)
  block.weight += weight
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
