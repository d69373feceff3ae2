/** Matches a backslash with the escaped character, a quoted text, blanks, or plain characters. The closing quote may be missing. */
const piecePattern = /\\([\s\S]?)|'([^']*)'?|"([^"\\]*(?:\\[\s\S]?[^"\\]*)*)"?|\s+|[^\s\\'"]+/g

/**
 * Splits a command line into words as bash does, and removes the quotes. The last word is the one that is being typed;
 * it may be empty.
 */
export const splitLine = (line: string): ReadonlyArray<string> => {
  const words: string[] = []
  let word: string | undefined
  for (const [piece, escaped, single, double] of line.matchAll(piecePattern)) {
    if (/^\s/.test(piece)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      const text = escaped ?? single ?? double?.replace(/\\([\s\S]?)/g, '$1') ?? piece
      word = (word ?? '') + text
    }
  }
  return [...words, word ?? '']
}
