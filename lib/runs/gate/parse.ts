import * as E from 'fp-ts/Either'
import {
  type AnswerPath,
  type Expression,
  type ExpressionFault,
  type Operator,
  type RequirementLiteral,
  signOperators,
} from './expression'
import { type RequirementToken, tokenizeExpression } from './tokens'

/** Parses a requirement into an expression. `not` has the highest precedence, then `and`, then `or`. Fails with the first fault. */
export const parseExpression = (text: string): E.Either<ExpressionFault, Expression> => {
  const tokens = tokenizeExpression(text)
  if (E.isLeft(tokens)) return tokens
  const parser = new ExpressionParser(tokens.right)
  const expression = parser.parseAll()
  return parser.fault === undefined ? E.right(expression) : E.left(parser.fault)
}

/** Parses a path to a single value, such as `tone.probabilities.angry`. Fails with the first fault. */
export const parsePath = (text: string): E.Either<ExpressionFault, AnswerPath> => {
  const tokens = tokenizeExpression(text)
  if (E.isLeft(tokens)) return tokens
  const parser = new ExpressionParser(tokens.right)
  const path = parser.parseOnlyPath()
  return parser.fault === undefined ? E.right(path) : E.left(parser.fault)
}

const keywords: ReadonlySet<string> = new Set(['or', 'and', 'not', 'in'])

/** The maximum number of nested parentheses and `not`s. It keeps a hostile text from overflowing the stack. */
const maxDepth = 100

/**
 * A recursive descent parser. At the first fault it skips to the end token, so that all parse methods return soon. Their results are
 * then meaningless.
 */
class ExpressionParser {
  /** The first fault. */
  fault: ExpressionFault | undefined
  private index = 0
  private depth = 0

  constructor(private readonly tokens: ReadonlyArray<RequirementToken>) {}

  parseAll(): Expression {
    const expression = this.parseOr()
    if (this.nextToken.kind !== 'end') this.failAtToken('expected "and", "or" or the end')
    return expression
  }

  parseOnlyPath(): AnswerPath {
    const path = this.parsePath()
    if (this.nextToken.kind !== 'end') this.failAtToken('expected the end of the path')
    return path
  }

  private parseOr(): Expression {
    return this.parseChain('or', () => this.parseChain('and', () => this.parseNot()))
  }

  /** Parses operands that are joined by one keyword. A single operand is returned as it is. */
  private parseChain(kind: 'or' | 'and', parseOperand: () => Expression): Expression {
    const first = parseOperand()
    const operands = [first]
    while (this.take('word', kind)) operands.push(parseOperand())
    return operands.length === 1 ? first : { kind, operands }
  }

  private parseNot(): Expression {
    this.depth += 1
    if (this.depth > maxDepth) this.fail(`more than ${maxDepth} levels deep`)
    const expression = this.take('word', 'not')
      ? ({ kind: 'not', operand: this.parseNot() } as const)
      : this.parseCondition()
    this.depth -= 1
    return expression
  }

  private parseCondition(): Expression {
    if (!this.take('sign', '(')) return this.parseComparison()
    const expression = this.parseOr()
    if (!this.take('sign', ')')) this.failAtToken('expected ")"')
    return expression
  }

  private parseComparison(): Expression {
    const path = this.parsePath()
    const { column } = this.nextToken
    if (this.take('word', 'in'))
      return { kind: 'comparison', path, operator: 'in', column, literals: this.parseList() }
    const operator: Operator =
      signOperators.find((sign) => this.take('sign', sign)) ?? this.failWithoutOperator()
    return { kind: 'comparison', path, operator, column, literals: [this.parseLiteral()] }
  }

  /** Fails. Returns an arbitrary operator, which is never used because the whole parse fails. */
  private failWithoutOperator(): Operator {
    this.failAtToken('expected a comparison (==, !=, <, <=, >, >= or in)')
    return '=='
  }

  private parsePath(): AnswerPath {
    const firstIndex = this.index
    const { column } = this.nextToken
    const id = this.take('sign', '[') ? this.parseQuoted() : this.parseName('a question id')
    if (!this.take('sign', '.')) this.failAtToken('expected "." and a field')
    const fieldColumn = this.nextToken.column
    const field = this.parseName('a field')
    const { key, keyColumn = fieldColumn } = this.parseKey()
    const text = this.tokens
      .slice(firstIndex, this.index)
      .map((token) => token.text)
      .join('')
    return { id, field, key, text, column, fieldColumn, keyColumn }
  }

  /** Parses the label or level after a field, if there is one. */
  private parseKey(): Partial<Pick<AnswerPath, 'key' | 'keyColumn'>> {
    const isQuoted = this.take('sign', '[')
    if (!isQuoted && !this.take('sign', '.')) return {}
    const keyColumn = this.nextToken.column
    return { key: isQuoted ? this.parseQuoted() : this.parseName('a label'), keyColumn }
  }

  private parseName(expected: string): string {
    const { kind, value } = this.nextToken
    if (kind !== 'word') this.failAtToken(`expected ${expected}`)
    else if (keywords.has(value))
      this.failAtToken(`expected ${expected} (write ["${value}"] for that id)`)
    this.advance()
    return value
  }

  /** Parses a text in quotes and the closing bracket after it, as in `["a.b"]`. */
  private parseQuoted(): string {
    const { kind, value } = this.nextToken
    if (kind !== 'text') this.failAtToken('expected a text in quotes')
    this.advance()
    if (!this.take('sign', ']')) this.failAtToken('expected "]"')
    return value
  }

  private parseList(): ReadonlyArray<RequirementLiteral> {
    if (!this.take('sign', '[')) this.failAtToken('expected "["')
    const literals = [this.parseLiteral()]
    while (this.take('sign', ',')) literals.push(this.parseLiteral())
    if (!this.take('sign', ']')) this.failAtToken('expected "," or "]"')
    return literals
  }

  private parseLiteral(): RequirementLiteral {
    const { kind, value, column } = this.nextToken
    if (kind !== 'number' && kind !== 'text')
      this.failAtToken('expected a number or a text in quotes')
    this.advance()
    return { value: kind === 'number' ? Number(value) : value, column }
  }

  private get nextToken(): RequirementToken {
    // `advance` and `fail` keep the index within the tokens.
    return this.tokens[this.index] as RequirementToken
  }

  /** If the next token has this kind and value, skips it and returns `true`. */
  private take(kind: RequirementToken['kind'], value: string): boolean {
    const { nextToken } = this
    if (nextToken.kind !== kind || nextToken.value !== value) return false
    this.advance()
    return true
  }

  /** Skips the next token. Never skips the last one, which marks the end. */
  private advance(): void {
    if (this.index < this.tokens.length - 1) this.index += 1
  }

  /** Fails at the next token, and names it in the message. */
  private failAtToken(message: string): void {
    const { kind, text } = this.nextToken
    this.fail(`${message}, found ${kind === 'end' ? 'the end' : text}`)
  }

  /** Stores the fault if it is the first, and skips to the end token. */
  private fail(message: string): void {
    this.fault ??= { message, column: this.nextToken.column }
    this.index = this.tokens.length - 1
  }
}
