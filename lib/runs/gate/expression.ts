/** A parsed requirement: a condition on the answers to some questions. */
export type Expression =
  | { readonly kind: 'or' | 'and'; readonly operands: ReadonlyArray<Expression> }
  | { readonly kind: 'not'; readonly operand: Expression }
  | FieldComparison

/** A comparison of the value at a path with a literal, or with several literals by the operator `in`. */
export interface FieldComparison {
  readonly kind: 'comparison'
  readonly path: AnswerPath
  readonly operator: Operator
  /** The column of the operator, in characters from 1. */
  readonly column: number
  /** One literal, or at least one with `in`. */
  readonly literals: ReadonlyArray<RequirementLiteral>
}

export type Operator = (typeof operators)[number] | 'in'

/** The operators that are signs. Longer signs come first, because the tokenizer takes the first that matches: `<=` before `<`. */
export const operators = ['==', '!=', '<=', '>=', '<', '>'] as const

/** A path, `<id>.<field>` or `<id>.<field>.<key>`. The key is a label or level. Columns count characters from 1. */
export interface AnswerPath {
  readonly id: string
  readonly field: string
  readonly key?: string
  /** The original text of the path, without blanks. */
  readonly text: string
  readonly column: number
  readonly fieldColumn: number
  readonly keyColumn?: number
}

/** A number or text in an expression. */
export interface RequirementLiteral {
  readonly value: number | string
  readonly column: number
}

/** Lists the comparisons of an expression, from left to right. */
export const listComparisons = (expression: Expression): ReadonlyArray<FieldComparison> => {
  switch (expression.kind) {
    case 'or':
    case 'and':
      return expression.operands.flatMap(listComparisons)
    case 'not':
      return listComparisons(expression.operand)
    case 'comparison':
      return [expression]
  }
}

export interface ExpressionFault {
  readonly message: string
  /** The column of the fault, in characters from 1. */
  readonly column: number
}
