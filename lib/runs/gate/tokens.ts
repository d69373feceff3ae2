import * as E from 'fp-ts/Either'
import { type ExpressionFault, operators } from './expression'

/** A word, sign or literal in an expression, or its end. */
export interface RequirementToken {
  readonly kind: 'word' | 'text' | 'number' | 'sign' | 'end'
  /** The meaning: a word or sign as written, a text without its quotes. */
  readonly value: string
  /** The token as it was written. */
  readonly text: string
  /** Where the token begins, in characters from 1. */
  readonly column: number
}

/** Matches letters, digits, `_` and `-`; the first is a letter or `_`. */
const word = /[A-Za-z_][A-Za-z0-9_-]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Matches a quoted text. In double quotes it reads as in JSON, in single quotes as it stands. */
const text = /"(?:[^"\\\u0000-\u001f]|\\.)*"|'[^']*'/sy
const blanks = /[ \t\r\n]+/y

const signs = [...operators, '(', ')', '[', ']', ',', '.']

/** Splits an expression into tokens, the last of which is its end. Fails with the first fault. */
export const tokenizeExpression = (
  expression: string,
): E.Either<ExpressionFault, ReadonlyArray<RequirementToken>> => {
  const tokens: RequirementToken[] = []
  const columnOf = trackColumns(expression)
  let at = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(expression)?.[0]
  }
  const add = (kind: RequirementToken['kind'], written: string, value = written): void => {
    tokens.push({ kind, value, text: written, column: columnOf(at) })
    at += written.length
  }
  for (;;) {
    at += match(blanks)?.length ?? 0
    if (at >= expression.length) break
    const sign = signs.find((one) => expression.startsWith(one, at))
    const literal = match(text)
    const numeral = match(number)
    const name = match(word)
    if (sign !== undefined) add('sign', sign)
    else if (literal !== undefined) {
      const value = readLiteral(literal)
      if (value === undefined)
        return E.left({ why: 'a text that JSON does not know', column: columnOf(at) })
      add('text', literal, value)
    } else if (numeral !== undefined) add('number', numeral)
    else if (name !== undefined) add('word', name)
    else return E.left({ why: describeUnreadable(expression, at), column: columnOf(at) })
  }
  add('end', '')
  return E.right(tokens)
}

const readLiteral = (literal: string): string | undefined => {
  if (literal.startsWith("'")) return literal.slice(1, -1)
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

const describeUnreadable = (expression: string, at: number): string => {
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0)
  if (character === '"' || character === "'") return 'a text without its closing quote'
  const meant = spelling.get(character)
  return `unexpected ${JSON.stringify(character)}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

/** The operators here that correspond to signs of other languages. */
const spelling = new Map([
  ['=', '=='],
  ['&', 'and'],
  ['|', 'or'],
  ['!', 'not'],
])

/** Returns a function from an offset to its column. Offsets must be asked for in ascending order. */
const trackColumns = (expression: string) => {
  let [offset, column] = [0, 1]
  return (target: number): number => {
    while (offset < target) {
      offset += (expression.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
      column += 1
    }
    return column
  }
}
