/** A requirement as it was understood: a condition on the answers to some questions. R14 */
export type Expression =
  | { readonly is: 'or' | 'and'; readonly parts: ReadonlyArray<Expression> }
  | { readonly is: 'not'; readonly part: Expression }
  | Comparison

/** A path and what it is compared with; one of several literals for `in`. */
export interface Comparison {
  readonly is: 'comparison'
  readonly path: Path
  readonly operator: Operator
  /** Where the operator stands. Columns count characters from 1. */
  readonly column: number
  /** One, but for `in`. */
  readonly literals: ReadonlyArray<Literal>
}

export type Operator = (typeof operators)[number] | 'in'

/** Those written with signs, the longer ones first. */
export const operators = ['==', '!=', '<=', '>=', '<', '>'] as const

/** `<id>.<field>`, and for some fields a label or level. */
export interface Path {
  readonly id: string
  readonly field: string
  readonly key?: string
  /** As it was written. */
  readonly text: string
  readonly column: number
  readonly fieldColumn: number
  readonly keyColumn?: number
}

/** A number or a text. */
export interface Literal {
  readonly value: number | string
  readonly column: number
}

/** The comparisons of an expression, from left to right. */
export const comparisons = (expression: Expression): ReadonlyArray<Comparison> => {
  switch (expression.is) {
    case 'or':
    case 'and':
      return expression.parts.flatMap(comparisons)
    case 'not':
      return comparisons(expression.part)
    case 'comparison':
      return [expression]
  }
}

/** What is wrong with an expression, and where. */
export interface ExpressionFault {
  readonly why: string
  /** In characters, from 1. */
  readonly column: number
}
