import * as E from 'fp-ts/Either'
import { type ExpressionFault, operators } from './expression'

/** A word, sign or literal in an expression, or its end. */
export interface RequirementToken {
  readonly kind: 'word' | 'text' | 'number' | 'sign' | 'end'
  /** A text without its quotes and escapes; any other token as it was written. */
  readonly value: string
  /** The token as it was written. */
  readonly text: string
  /** The column at which the token begins, in characters from 1. */
  readonly column: number
}

const blanks = /[ \t\r\n]*/y
const signs = [...operators, '(', ')', '[', ']', ',', '.']

/** The other tokens. In double quotes a text reads as in JSON; in single quotes nothing is escaped. */
const patterns: ReadonlyArray<readonly [kind: 'text' | 'number' | 'word', pattern: RegExp]> = [
  ['text', /"(?:[^"\\\u0000-\u001f]|\\.)*"|'[^']*'/sy],
  ['number', /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['word', /[A-Za-z_][A-Za-z0-9_-]*/y],
]

/** Splits an expression into tokens, the last of which is its end. Fails with the first fault. */
export const tokenizeExpression = (
  expression: string,
): E.Either<ExpressionFault, ReadonlyArray<RequirementToken>> => {
  const tokens: RequirementToken[] = []
  const columnOf = trackColumns(expression)
  let offset = skipBlanks(expression, 0)
  while (offset < expression.length) {
    const column = columnOf(offset)
    const token = matchToken(expression, offset)
    if (token === undefined) return E.left({ why: describeUnreadable(expression, offset), column })
    const { kind, text } = token
    const value = kind === 'text' ? unquote(text) : text
    if (value === undefined) return E.left({ why: 'a text that JSON does not know', column })
    tokens.push({ kind, value, text, column })
    offset = skipBlanks(expression, offset + text.length)
  }
  tokens.push({ kind: 'end', value: '', text: '', column: columnOf(offset) })
  return E.right(tokens)
}

const skipBlanks = (expression: string, offset: number): number =>
  offset + (matchAt(blanks, expression, offset) ?? '').length

const matchToken = (
  expression: string,
  offset: number,
): Pick<RequirementToken, 'kind' | 'text'> | undefined => {
  const sign = signs.find((one) => expression.startsWith(one, offset))
  if (sign !== undefined) return { kind: 'sign', text: sign }
  for (const [kind, pattern] of patterns) {
    const text = matchAt(pattern, expression, offset)
    if (text !== undefined) return { kind, text }
  }
  return undefined
}

/** Matches a sticky pattern at an offset. */
const matchAt = (pattern: RegExp, text: string, offset: number): string | undefined => {
  pattern.lastIndex = offset
  return pattern.exec(text)?.[0]
}

/** Returns the meaning of a quoted text; `undefined` if its escapes are invalid. */
const unquote = (literal: string): string | undefined => {
  if (literal.startsWith("'")) return literal.slice(1, -1)
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

const describeUnreadable = (expression: string, offset: number): string => {
  const character = String.fromCodePoint(expression.codePointAt(offset) ?? 0)
  if (character === '"' || character === "'") return 'a text without its closing quote'
  const meant = operatorsElsewhere.get(character)
  return `unexpected ${JSON.stringify(character)}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

/** Signs of other languages, with the operators that have their meaning here. */
const operatorsElsewhere = new Map([
  ['=', '=='],
  ['&', 'and'],
  ['|', 'or'],
  ['!', 'not'],
])

/** Returns a function that turns an offset into a column, from 1. Call it with ascending offsets. */
const trackColumns = (expression: string) => {
  let offset = 0
  let column = 1
  return (target: number): number => {
    while (offset < target) {
      offset += (expression.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
      column += 1
    }
    return column
  }
}
