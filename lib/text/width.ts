import stringWidth from 'string-width'

/**
 * Measures how many columns of a terminal a text of one line takes: two for East Asian wide characters and emoji, none for accents and
 * for the control sequences of colours.
 */
export const measureWidth = (text: string): number => stringWidth(text)

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts a text to at most `width` columns of a terminal. A text that was cut ends with `…`. */
export const cutToWidth = (text: string, width: number): string => {
  if (measureWidth(text) <= width) return text
  let prefix = ''
  // The `…` takes one column.
  let remainingColumns = width - 1
  for (const { segment } of segmenter.segment(text)) {
    remainingColumns -= measureWidth(segment)
    if (remainingColumns < 0) break
    prefix += segment
  }
  return `${prefix}…`
}
