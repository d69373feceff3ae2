import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import {
  type Expression,
  type ExpressionFault,
  type Operator,
  operators,
  type Path,
  type RequirementLiteral,
} from './expression'
import { type RequirementToken, tokenizeExpression } from './tokens'

/**
 * Parses an expression. `or` binds weaker than `and`, and `and` weaker than `not`. Fails with the first fault.
 */
export const parseExpression = (text: string): E.Either<ExpressionFault, Expression> =>
  pipe(
    tokenizeExpression(text),
    E.chain((tokens) => {
      const parser = new Parser(tokens)
      const expression = parser.expression()
      return parser.fault === undefined ? E.right(expression) : E.left(parser.fault)
    }),
  )

const keywords: ReadonlySet<string> = new Set(['or', 'and', 'not', 'in'])

/** The most levels of nesting. Nobody writes more, and a hostile text must not overflow the stack. */
const deepest = 100

/**
 * A recursive descent parser. After a fault it behaves as if the text ended there, so that only the first fault
 * is reported.
 */
class Parser {
  fault: ExpressionFault | undefined
  private index = 0
  private depth = 0

  constructor(private readonly tokens: ReadonlyArray<RequirementToken>) {}

  expression(): Expression {
    const expression = this.or()
    if (this.next.kind !== 'end') this.fail('expected "and", "or" or the end')
    return expression
  }

  private or(): Expression {
    return this.several('or', () => this.several('and', () => this.not()))
  }

  private several(is: 'or' | 'and', part: () => Expression): Expression {
    const first = part()
    const parts = [first]
    while (this.take('word', is)) parts.push(part())
    return parts.length === 1 ? first : { is, parts }
  }

  private not(): Expression {
    this.depth += 1
    if (this.depth > deepest) this.fail(`more than ${deepest} levels deep`, '')
    const expression = this.take('word', 'not')
      ? ({ is: 'not', part: this.not() } as const)
      : this.condition()
    this.depth -= 1
    return expression
  }

  private condition(): Expression {
    if (!this.take('sign', '(')) return this.comparison()
    const inside = this.or()
    if (!this.take('sign', ')')) this.fail('expected ")"')
    return inside
  }

  private comparison(): Expression {
    const path = this.path()
    const { column } = this.next
    const is = 'comparison'
    if (this.take('word', 'in')) return { is, path, operator: 'in', column, literals: this.list() }
    const operator: Operator = operators.find((one) => this.take('sign', one)) ?? this.noOperator()
    return { is, path, operator, column, literals: [this.literal()] }
  }

  private noOperator(): Operator {
    this.fail('expected a comparison (==, !=, <, <=, >, >= or in)')
    return '=='
  }

  private path(): Path {
    const from = this.index
    const { column } = this.next
    const id = this.take('sign', '[') ? this.quoted() : this.name('a question id')
    if (!this.take('sign', '.')) this.fail('expected "." and a field')
    const fieldColumn = this.next.column
    const field = this.name('a field')
    const isQuoted = this.take('sign', '[')
    const isNamed = !isQuoted && this.take('sign', '.')
    const keyColumn = this.next.column
    const key = isQuoted ? this.quoted() : isNamed ? this.name('a label') : undefined
    const text = this.tokens
      .slice(from, this.index)
      .map((token) => token.text)
      .join('')
    return { id, field, text, column, fieldColumn, ...(key !== undefined && { key, keyColumn }) }
  }

  private name(what: string): string {
    const { kind, value } = this.next
    if (kind !== 'word') this.fail(`expected ${what}`)
    else if (keywords.has(value)) this.fail(`expected ${what} (write ["${value}"] for that id)`)
    this.advance()
    return value
  }

  private quoted(): string {
    const { kind, value } = this.next
    if (kind !== 'text') this.fail('expected a text in quotes')
    this.advance()
    if (!this.take('sign', ']')) this.fail('expected "]"')
    return value
  }

  private list(): ReadonlyArray<RequirementLiteral> {
    if (!this.take('sign', '[')) this.fail('expected "["')
    const literals = [this.literal()]
    while (this.take('sign', ',')) literals.push(this.literal())
    if (!this.take('sign', ']')) this.fail('expected "," or "]"')
    return literals
  }

  private literal(): RequirementLiteral {
    const { kind, value, column } = this.next
    if (kind !== 'number' && kind !== 'text') this.fail('expected a number or a text in quotes')
    this.advance()
    return { value: kind === 'number' ? Number(value) : value, column }
  }

  private get next(): RequirementToken {
    return this.tokens[this.index] as RequirementToken
  }

  private take(kind: RequirementToken['kind'], value: string): boolean {
    const { next } = this
    if (next.kind !== kind || next.value !== value) return false
    this.advance()
    return true
  }

  private advance(): void {
    if (this.index < this.tokens.length - 1) this.index += 1
  }

  /** Records a fault, unless there is one already, and skips to the end. */
  private fail(why: string, found = `, found ${this.describeNext()}`): void {
    this.fault ??= { why: why + found, column: this.next.column }
    this.index = this.tokens.length - 1
  }

  private describeNext(): string {
    return this.next.kind === 'end' ? 'the end' : this.next.text
  }
}
