/** A parsed requirement: a condition on answers, such as `billing.noul >= 0.8 and not tone.choice == "angry"`. */
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
  /** Exactly one literal, or with `in` at least one. */
  readonly literals: ReadonlyArray<RequirementLiteral>
}

/** The operators that are signs. Longer signs come first, because the tokenizer takes the first that matches: `<=` before `<`. */
export const operators = ['==', '!=', '<=', '>=', '<', '>'] as const

export type Operator = (typeof operators)[number] | 'in'

/**
 * A path to a value in the answers of a row: `<id>.<field>` or `<id>.<field>.<key>`. The id is that of a question, the key is a label
 * or level. Columns count characters from 1.
 */
export interface AnswerPath {
  readonly id: string
  readonly field: string
  readonly key?: string
  /** The original text of the path, without whitespace. */
  readonly text: string
  /** The column of the whole path, which begins with the id. */
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

/** The first thing that is wrong with an expression. */
export interface ExpressionFault {
  /** The message, without the column. */
  readonly message: string
  /** The column of the fault, in characters from 1. */
  readonly column: number
}
