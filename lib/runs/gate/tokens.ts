import * as E from 'fp-ts/Either'
import { type ExpressionFault, signOperators } from './expression'

/** A word, sign or literal in an expression, or its end. */
export interface RequirementToken {
  readonly kind: 'word' | 'text' | 'number' | 'sign' | 'end'
  /** The original text. */
  readonly text: string
  /** The value of a quoted text, without quotes and escapes. For any other token, the same as `text`. */
  readonly value: string
  /** The column of the first character, from 1. */
  readonly column: number
}

const whitespace = /[ \t\r\n]*/y
const signs = [...signOperators, '(', ')', '[', ']', ',', '.']

interface TokenPattern {
  readonly kind: RequirementToken['kind']
  readonly pattern: RegExp
}

/** The tokens that are not signs. Sticky patterns (`y`) match only at `lastIndex`. */
const tokenPatterns: ReadonlyArray<TokenPattern> = [
  // "a \"b\"" with the escapes of JSON, or 'a b' without escapes.
  { kind: 'text', pattern: /"(?:[^"\\\u0000-\u001f]|\\.)*"|'[^']*'/sy },
  // -0.5e3, as in JSON.
  { kind: 'number', pattern: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y },
  { kind: 'word', pattern: /[A-Za-z_][A-Za-z0-9_-]*/y },
]

/**
 * The operators to suggest for signs of other languages, by the beginning of a sign: `&` is also that of `&&`. A longer beginning comes
 * before a shorter one.
 */
const operatorsOfOtherLanguages: ReadonlyArray<readonly [sign: string, operator: string]> = [
  ['=>', '>='],
  ['=<', '<='],
  ['=!', '!='],
  ['=', '=='],
  ['&', 'and'],
  ['|', 'or'],
  ['!', 'not'],
]

/** Splits an expression into tokens. The last token has the kind `end`. Fails with the first fault. */
export const tokenizeExpression = (
  expression: string,
): E.Either<ExpressionFault, ReadonlyArray<RequirementToken>> => {
  const tokens: RequirementToken[] = []
  const findColumn = createColumnFinder(expression)
  let offset = skipWhitespace(expression, 0)
  while (offset < expression.length) {
    const column = findColumn(offset)
    const token = matchToken(expression, offset)
    if (token === undefined)
      return E.left({ message: describeUnknownToken(expression, offset), column })
    const { kind, text } = token
    const value = kind === 'text' ? unquote(text) : text
    if (value === undefined) return E.left({ message: 'a text with an invalid escape', column })
    tokens.push({ kind, text, value, column })
    offset = skipWhitespace(expression, offset + text.length)
  }
  tokens.push({ kind: 'end', text: '', value: '', column: findColumn(offset) })
  return E.right(tokens)
}

const skipWhitespace = (expression: string, offset: number): number =>
  offset + (matchAt(whitespace, expression, offset) ?? '').length

/** Matches the token at an offset; `undefined` if there is none. */
const matchToken = (
  expression: string,
  offset: number,
): Pick<RequirementToken, 'kind' | 'text'> | undefined => {
  const sign = signs.find((candidate) => expression.startsWith(candidate, offset))
  if (sign !== undefined) return { kind: 'sign', text: sign }
  for (const { kind, pattern } of tokenPatterns) {
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

/** Decodes a quoted text; `undefined` if an escape is invalid. */
const unquote = (literal: string): string | undefined => {
  if (literal.startsWith("'")) return literal.slice(1, -1)
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

const describeUnknownToken = (expression: string, offset: number): string => {
  // The offset is within the expression, so the 0 never matters.
  const character = String.fromCodePoint(expression.codePointAt(offset) ?? 0)
  if (character === '"' || character === "'") return 'a text without a closing quote'
  const known = operatorsOfOtherLanguages.find(([sign]) => expression.startsWith(sign, offset))
  if (known === undefined) return `unexpected ${JSON.stringify(character)}`
  const [sign, operator] = known
  return `unexpected ${JSON.stringify(sign)}; did you mean ${operator}?`
}

/** Creates a function that converts an offset in UTF-16 units to a column in characters, from 1. Call it with ascending offsets. */
const createColumnFinder = (expression: string) => {
  let offset = 0
  let column = 1
  return (targetOffset: number): number => {
    while (offset < targetOffset) {
      // A character above U+FFFF takes two UTF-16 units.
      offset += (expression.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
      column += 1
    }
    return column
  }
}
