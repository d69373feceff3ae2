import { styleText } from 'node:util'
import { measureWidth } from './width'
import { findWidth, noBreakSpace, wrap } from './wrap'

type Env = Readonly<Record<string, string | undefined>>

/** The part of an output that decides how texts are laid out. */
interface OutputShape {
  readonly isTTY: boolean
  readonly columns?: number
}

/** The styles of texts for people. */
export type TextStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

/** The layout of texts for people. */
export interface TextLayout {
  /** The width of the terminal in columns; `undefined` if the output is no terminal, so that texts keep their lines. */
  readonly width: number | undefined
  /** Adds a style to a text, if the terminal shows colours. */
  readonly paint: (style: TextStyle, text: string) => string
}

/** The layout of files and pipes. */
export const plainLayout: TextLayout = { width: undefined, paint: (_, text) => text }

/** Returns `true` if texts on this output may have colours: it is a terminal, and neither `NO_COLOR` nor `CI` is set. */
export const showsColours = ({ isTTY }: Pick<OutputShape, 'isTTY'>, env: Env): boolean =>
  isTTY && !env.NO_COLOR && !env.CI && env.TERM !== 'dumb'

/** Chooses the layout for an output. */
export const chooseTextLayout = (output: OutputShape, env: Env): TextLayout => ({
  width: output.isTTY ? findWidth(output, env) : undefined,
  paint: showsColours(output, env)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : plainLayout.paint,
})

/** On a narrower terminal, lines stay as they are: wrapped, they would be a column of single words. */
const minWrappingWidth = 20

/** Matches a command to paste at the end of a hint. `wrap` must not break it, because a shell would run its parts. */
const finalCommandPattern = /: svc [^;]*$/

/**
 * Breaks every line that is wider than the layout at spaces. The further lines are indented by two spaces more than the first one. Other
 * lines stay unchanged.
 */
export const wrapLines = (text: string, { width }: TextLayout): string =>
  width === undefined || width < minWrappingWidth
    ? text
    : text
        .split('\n')
        .map((line) => wrapLine(line, width))
        .join('\n')

const wrapLine = (line: string, width: number): string => {
  if (measureWidth(line) <= width) return line
  const indent = /^ */.exec(line)?.[0] ?? ''
  const command = finalCommandPattern.exec(line)
  const breakable =
    command === null
      ? line
      : `${line.slice(0, command.index + 2)}${command[0].slice(2).replaceAll(' ', noBreakSpace)}`
  const [first = '', ...others] = wrap(breakable, width - indent.length - 2, width - indent.length)
  return [indent + first, ...others.map((other) => `${indent}  ${other}`)].join('\n')
}

/** The colours of the words that begin lines on stderr. */
const prefixColours: Readonly<Record<string, TextStyle>> = { 'svc:': 'red', 'hint:': 'yellow' }

/** Matches a line of stderr for people, such as `svc: …`, up to its colon. Lines of the log and progress lines begin otherwise. */
const messagePattern = /^[a-z]+:(?= )/

/** Lays out lines of stderr: wraps messages for people, and colours the words that begin them. */
export const layOutMessages = (lines: string, layout: TextLayout): string =>
  lines
    .split('\n')
    .map((line) => {
      const prefix = messagePattern.exec(line)?.[0]
      if (prefix === undefined) return line
      const wrapped = wrapLines(line, layout)
      const colour = prefixColours[prefix]
      return colour === undefined
        ? wrapped
        : layout.paint(colour, prefix) + wrapped.slice(prefix.length)
    })
    .join('\n')
