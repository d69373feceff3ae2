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
  /** Exactly one literal, or at least one with `in`. */
  readonly literals: ReadonlyArray<RequirementLiteral>
}

/** The operators that are signs. The tokenizer takes the first sign that matches, so `<=` must come before `<`. */
export const signOperators = ['==', '!=', '<=', '>=', '<', '>'] as const

export type Operator = (typeof signOperators)[number] | 'in'

/** A path to a value in the answers of a row: `<id>.<field>` or `<id>.<field>.<key>`. Columns count characters from 1. */
export interface AnswerPath {
  /** The id of a question. */
  readonly id: string
  readonly field: string
  /** A label or level, such as the `angry` of `tone.probabilities.angry`; `undefined` in a path without a key. */
  readonly key: string | undefined
  /** The original text of the path, without whitespace. */
  readonly text: string
  /** The column of the whole path, which begins with the id. */
  readonly column: number
  readonly fieldColumn: number
  /** The column of the key; without a key, that of the field. */
  readonly keyColumn: number
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

/** The reason why an expression is invalid. */
export interface ExpressionFault {
  /** The message, without the column. */
  readonly message: string
  /** The column of the fault, in characters from 1. */
  readonly column: number
}
