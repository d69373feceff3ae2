/** Most nodes that the aliases of a document may stand for. D67 */
const most = 10_000

/**
 * Whether the aliases of a parsed document stand for more nodes than that. js-yaml lets all aliases of a node share one
 * object, so that the document takes little memory. Code that walks it comes by that object once for each alias: a few
 * lines of aliases to aliases would keep it walking for ever.
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
