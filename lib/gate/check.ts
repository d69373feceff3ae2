import { suggestion } from '../failure/suggestion'
import {
  type Comparison,
  comparisons,
  type Expression,
  type ExpressionFault,
  type Literal,
  type Path,
} from './expression'
import type { Shape, Shapes } from './shape'

/** The values a path can have. */
type Domain =
  | {
      readonly of: 'text'
      readonly among: ReadonlySet<string> | undefined
      /** What the texts are, for messages. */
      readonly what: 'label' | 'outcome'
    }
  | {
      readonly of: 'number'
      readonly from: number
      readonly to: number
      /** Set where only whole numbers occur. */
      readonly whole?: true
    }

/**
 * Finds the first fault, from left to right, of an expression about these questions; `undefined` where there is
 * none. R15
 */
export const checkExpression = (
  expression: Expression,
  shapes: Shapes,
): ExpressionFault | undefined => {
  for (const comparison of comparisons(expression)) {
    const shape = shapes.get(comparison.path.id)
    const fault =
      shape === undefined
        ? unknownQuestion(comparison.path, shapes)
        : checkComparison(comparison, shape)
    if (fault !== undefined) return fault
  }
  return undefined
}

const unknownQuestion = ({ id, column }: Path, shapes: Shapes): ExpressionFault => ({
  why: `no question "${id}"${suggestion(id, [...shapes.keys()])}`,
  column,
})

const fieldsByType = {
  noul: ['noul'],
  choice: ['choice', 'confidence', 'probabilities', 'top', 'margin'],
  score: ['score', 'level', 'confidence', 'probabilities', 'top', 'margin'],
} as const

const checkComparison = (comparison: Comparison, shape: Shape): ExpressionFault | undefined => {
  const { path, literals } = comparison
  if (shape.type === 'other')
    return {
      why: `"${path.id}" is of type ${shape.name}, which has no fields`,
      column: path.column,
    }
  const domain = domainOf(path, shape)
  if ('why' in domain) return domain
  for (const literal of literals) {
    const fault = checkLiteral(comparison, domain, literal)
    if (fault !== undefined) return fault
  }
  return undefined
}

type Known = Exclude<Shape, { readonly type: 'other' }>

const chance: Domain = { of: 'number', from: 0, to: 1 }

const domainOf = (path: Path, shape: Known): Domain | ExpressionFault => {
  const { id, field, key, fieldColumn, keyColumn = fieldColumn } = path
  if (field === 'outcome' || field === 'calibrated') return domainByPolicy(path, shape)
  const byPolicy = shape.policy === undefined ? [] : ['outcome', 'calibrated']
  const fields: ReadonlyArray<string> = [...fieldsByType[shape.type], ...byPolicy]
  if (!fields.includes(field)) {
    const which = `"${id}" is a ${shape.type} question`
    return {
      why: `${which} and has no "${field}", but ${fields.join(', ')}${suggestion(field, fields)}`,
      column: fieldColumn,
    }
  }
  if (field === 'probabilities') return probabilityOf(path, shape)
  if (key !== undefined) return { why: `"${field}" has no parts`, column: keyColumn }
  switch (field) {
    case 'choice':
      return {
        of: 'text',
        among: shape.type === 'choice' ? choicesOf(shape) : undefined,
        what: 'label',
      }
    case 'score':
      return { of: 'number', from: 0, to: highestLevel(shape) }
    case 'level':
      return { of: 'number', from: 0, to: highestLevel(shape), whole: true }
    default:
      return chance
  }
}

/** The labels that can be chosen; `undefined` where they are not known. */
const choicesOf = ({
  labels,
  chosen,
}: Extract<Shape, { readonly type: 'choice' }>): ReadonlySet<string> | undefined =>
  labels && chosen ? new Set([...labels, ...chosen]) : labels

/** The values of `outcome` and `calibrated`, which exist only where a policy covers the question. R23 */
const domainByPolicy = (path: Path, shape: Known): Domain | ExpressionFault => {
  const { id, field, key, fieldColumn, keyColumn = fieldColumn } = path
  const { policy } = shape
  if (policy === undefined)
    return { why: `"${field}" takes a --policy that has "${id}"`, column: fieldColumn }
  const hasParts = field === 'calibrated' && shape.type !== 'noul'
  if (key !== undefined && !hasParts) return { why: `"${field}" has no parts`, column: keyColumn }
  if (field === 'outcome') {
    const outcomes = policy.map === null || policy.cut.at === null ? onlyReview : either
    return { of: 'text', among: outcomes, what: 'outcome' }
  }
  if (policy.map === null) return { why: `the policy has no map for "${id}"`, column: fieldColumn }
  return hasParts ? probabilityOf(path, shape) : chance
}

const either: ReadonlySet<string> = new Set(['accept', 'review'])
const onlyReview: ReadonlySet<string> = new Set(['review'])

const highestLevel = (shape: Known): number =>
  shape.type === 'score' && shape.levels !== undefined ? shape.levels - 1 : Number.POSITIVE_INFINITY

const probabilityOf = (
  { id, field, key, fieldColumn, keyColumn = fieldColumn }: Path,
  shape: Known,
): Domain | ExpressionFault => {
  const part = shape.type === 'choice' ? 'label' : 'level'
  if (key === undefined)
    return { why: `"${field}" needs a ${part}: ${field}["…"]`, column: fieldColumn }
  const names = namesOf(shape)
  if (names === undefined || names.has(key)) return chance
  const others =
    shape.type === 'score' ? `; its levels are 0 to ${names.size - 1}` : suggestion(key, [...names])
  return { why: `"${id}" has no ${part} "${key}"${others}`, column: keyColumn }
}

const namesOf = (shape: Known): ReadonlySet<string> | undefined => {
  switch (shape.type) {
    case 'noul':
      return undefined
    case 'choice':
      return shape.labels
    case 'score':
      return shape.levels === undefined
        ? undefined
        : new Set(Array.from({ length: shape.levels }, (_, level) => String(level)))
  }
}

const checkLiteral = (
  { path, operator, column }: Comparison,
  domain: Domain,
  literal: Literal,
): ExpressionFault | undefined => {
  const { value } = literal
  if (domain.of === 'text') {
    if (typeof value === 'number')
      return { why: `${path.text} is a text, not a number`, column: literal.column }
    if (operator !== '==' && operator !== '!=' && operator !== 'in')
      return { why: 'texts compare by ==, != and in only', column }
    if (domain.among?.size === 1 && operator === '!=' && domain.among.has(value))
      return { why: `${path.text} is always "${value}": this never holds`, column }
    if (domain.among === undefined || domain.among.has(value)) return undefined
    if (domain.what === 'label') {
      const near = suggestion(value, [...domain.among])
      return { why: `"${path.id}" has no label "${value}"${near}`, column: literal.column }
    }
    if (operator === '!=' && either.has(value)) return undefined
    const outcomes = [...domain.among].map((one) => `"${one}"`).join(' or ')
    return { why: `${path.text} is ${outcomes}: this never holds`, column: literal.column }
  }
  if (typeof value === 'string')
    return { why: `${path.text} is a number, not a text`, column: literal.column }
  return canHold(operator, domain, value)
    ? undefined
    : { why: `${path.text} ${rangeOf(domain)}: this never holds`, column }
}

const canHold = (
  operator: Comparison['operator'],
  { from, to, whole }: Extract<Domain, { readonly of: 'number' }>,
  value: number,
): boolean => {
  switch (operator) {
    case '==':
    case 'in':
      return value >= from && value <= to && (!whole || Number.isInteger(value))
    case '!=':
      return true
    case '<':
      return from < value
    case '<=':
      return from <= value
    case '>':
      return to > value
    case '>=':
      return to >= value
  }
}

const rangeOf = ({ from, to, whole }: Extract<Domain, { readonly of: 'number' }>): string => {
  const kind = whole ? 'a whole number ' : ''
  return Number.isFinite(to) ? `is ${kind}from ${from} to ${to}` : `is ${kind}not below ${from}`
}
