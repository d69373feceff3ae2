/**
 * Runs `work` for each item, at most `concurrency` at a time, and gives the results in the
 * items' order. Once `signal` fires no further item starts: the result then holds only those
 * that did. `work` must not reject. D28, D32
 */
export const inOrder = async <A, B>(
  items: ReadonlyArray<A>,
  concurrency: number,
  signal: AbortSignal,
  work: (item: A) => Promise<B>,
): Promise<ReadonlyArray<B>> => {
  const results: B[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (signal.aborted) return
      results[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}
