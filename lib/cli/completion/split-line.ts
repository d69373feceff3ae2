/**
 * Matches one piece of a line: `\x`, `'single quoted'`, `"double quoted"`, whitespace, or plain characters. The closing quote may be
 * missing.
 */
const piecePattern = /\\([\s\S]?)|'([^']*)'?|"([^"\\]*(?:\\[\s\S]?[^"\\]*)*)"?|\s+|[^\s\\'"]+/g

/**
 * Splits a command line into words as bash does, and removes the quotes. The last word is the one that is being typed;
 * it may be empty.
 */
export const splitLine = (line: string): ReadonlyArray<string> => {
  const words: string[] = []
  let word: string | undefined
  // Pieces without whitespace between them form one word: `a'b c'` is `ab c`.
  for (const [piece, escaped, singleQuoted, doubleQuoted] of line.matchAll(piecePattern)) {
    if (/^\s/.test(piece)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      // In double quotes a backslash escapes the next character: `"a\"b"` is `a"b`.
      const unescaped = doubleQuoted?.replace(/\\([\s\S]?)/g, '$1')
      const text = escaped ?? singleQuoted ?? unescaped ?? piece
      word = (word ?? '') + text
    }
  }
  return [...words, word ?? '']
}
