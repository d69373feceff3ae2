/** The most nodes that the aliases of a document may stand for. D67 */
const most = 10_000

/**
 * Whether the aliases of a parsed document stand for too many nodes. js-yaml represents all aliases of a node
 * by one shared object, so even a huge expansion takes little memory. But code that walks the document visits
 * that object once per alias, and a few lines of aliases to aliases would keep it busy forever.
 */
export const repeatsTooMuch = (document: unknown): boolean => {
  const seen = new Set<object>()
  const waiting: unknown[] = [document]
  let repeated = 0
  while (waiting.length > 0 && repeated <= most) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    const inside: ReadonlyArray<unknown> = Object.values(node)
    if (seen.has(node)) repeated += 1 + inside.length
    seen.add(node)
    for (const one of inside) waiting.push(one)
  }
  return repeated > most
}
