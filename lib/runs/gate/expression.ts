/** A parsed requirement: a condition on the answers to some questions. */
export type Expression =
  | { readonly kind: 'or' | 'and'; readonly parts: ReadonlyArray<Expression> }
  | { readonly kind: 'not'; readonly part: Expression }
  | FieldComparison

/** A comparison of the value at a path with a literal; the operator `in` takes several literals. */
export interface FieldComparison {
  readonly kind: 'comparison'
  readonly path: Path
  readonly operator: Operator
  /** The column of the operator, in characters from 1. */
  readonly column: number
  /** A single literal, except with `in`. */
  readonly literals: ReadonlyArray<RequirementLiteral>
}

export type Operator = (typeof operators)[number] | 'in'

/** The operators that are written with signs. Longer ones come first, so that `<=` is not read as `<`. */
export const operators = ['==', '!=', '<=', '>=', '<', '>'] as const

/**
 * A path, `<id>.<field>`. Some fields are followed by a label or level, the `key`. Columns count characters from 1.
 */
export interface Path {
  readonly id: string
  readonly field: string
  readonly key?: string
  /** The path as it was written, without blanks. */
  readonly text: string
  readonly column: number
  readonly fieldColumn: number
  readonly keyColumn?: number
}

/** A number or text that a value is compared with. */
export interface RequirementLiteral {
  readonly value: number | string
  readonly column: number
}

/** Lists the comparisons of an expression, from left to right. */
export const listComparisons = (expression: Expression): ReadonlyArray<FieldComparison> => {
  switch (expression.kind) {
    case 'or':
    case 'and':
      return expression.parts.flatMap(listComparisons)
    case 'not':
      return listComparisons(expression.part)
    case 'comparison':
      return [expression]
  }
}

export interface ExpressionFault {
  readonly why: string
  /** The column of the fault, in characters from 1. */
  readonly column: number
}
