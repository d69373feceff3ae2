import { suggest } from '../../failure/suggestion'
import type { UsablePolicy } from '../policy/policy'
import {
  comparisonsOf,
  type Expression,
  type ExpressionFault,
  type FieldComparison,
  type Path,
  type RequirementLiteral,
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

/** The values of `probabilities` or `calibrated`: one number for each label or level. */
interface Parts {
  readonly of: 'parts'
  readonly part: 'label' | 'level'
  /** Undefined where they are not known. */
  readonly names: ReadonlySet<string> | undefined
}

/** The values of each field by its name. */
type Fields = Readonly<Record<string, Domain | Parts>>

/**
 * Finds the first fault, from left to right, of an expression about these questions; `undefined` where there is
 * none.
 */
export const checkExpression = (
  expression: Expression,
  shapes: Shapes,
): ExpressionFault | undefined => {
  for (const comparison of comparisonsOf(expression)) {
    const shape = shapes.get(comparison.path.id)
    const fault =
      shape === undefined
        ? describeUnknownQuestion(comparison.path, shapes)
        : checkComparison(comparison, shape)
    if (fault !== undefined) return fault
  }
  return undefined
}

const describeUnknownQuestion = ({ id, column }: Path, shapes: Shapes): ExpressionFault => ({
  why: `no question "${id}"${suggest(id, [...shapes.keys()])}`,
  column,
})

const checkComparison = (
  comparison: FieldComparison,
  shape: Shape,
): ExpressionFault | undefined => {
  const { path, literals, operator } = comparison
  if (shape.type === 'other')
    return {
      why: `"${path.id}" is of type ${shape.name}, which has no fields`,
      column: path.column,
    }
  if (shape.type === 'refusal') return undefined
  const domain = findDomain(path, shape)
  if ('why' in domain) return domain
  for (const literal of literals) {
    const fault = checkLiteral(comparison, domain, literal)
    if (fault !== undefined) return fault
  }
  const column =
    domain.of === 'text' ? (literals[0] as RequirementLiteral).column : comparison.column
  return literals.some(({ value }) => canHold(operator, domain, value))
    ? undefined
    : { why: `${path.text} ${describeDomain(domain)}: this never holds`, column }
}

type Known = Exclude<Shape, { readonly type: 'other' | 'refusal' }>

const chance: Domain = { of: 'number', from: 0, to: 1 }

/** The fields of the answers to a question. */
const listFields = (shape: Known): Fields => {
  switch (shape.type) {
    case 'noul':
      return { noul: chance, ...listPolicyFields(shape.policy, chance) }
    case 'choice': {
      const { labels, chosen = [] } = shape
      const among = labels && new Set([...labels, ...chosen])
      const parts: Parts = { of: 'parts', part: 'label', names: labels }
      return { choice: { of: 'text', among, what: 'label' }, ...listSharedFields(shape, parts) }
    }
    case 'score': {
      const { levels } = shape
      const names =
        levels === undefined ? undefined : new Set(Array.from(Array(levels).keys(), String))
      const scale = { of: 'number', from: 0, to: (levels ?? Number.POSITIVE_INFINITY) - 1 } as const
      const parts: Parts = { of: 'parts', part: 'level', names }
      return { score: scale, level: { ...scale, whole: true }, ...listSharedFields(shape, parts) }
    }
  }
}

const listSharedFields = ({ policy }: Known, parts: Parts): Fields => ({
  ...{ confidence: chance, probabilities: parts, top: chance, margin: chance },
  ...listPolicyFields(policy, parts),
})

/** The fields that exist only where a policy covers the question. */
const listPolicyFields = (policy: UsablePolicy | undefined, calibrated: Domain | Parts): Fields => {
  if (policy === undefined) return {}
  const among = policy.map === null || policy.cut.at === null ? onlyReview : either
  return { outcome: { of: 'text', among, what: 'outcome' }, calibrated }
}

const either: ReadonlySet<string> = new Set(['accept', 'review'])
const onlyReview: ReadonlySet<string> = new Set(['review'])

const findDomain = (path: Path, shape: Known): Domain | ExpressionFault => {
  const { id, field, key, fieldColumn, keyColumn = fieldColumn } = path
  const { policy, type } = shape
  if (policy === undefined && (field === 'outcome' || field === 'calibrated'))
    return { why: `"${field}" takes a --policy that has "${id}"`, column: fieldColumn }
  const fields = new Map(Object.entries(listFields(shape)))
  const found = fields.get(field)
  if (found === undefined) {
    const names = [...fields.keys()]
    const why = `"${id}" is a ${type} question and has no "${field}", but ${names.join(', ')}`
    return { why: why + suggest(field, names), column: fieldColumn }
  }
  if (found.of !== 'parts' && key !== undefined)
    return { why: `"${field}" has no parts`, column: keyColumn }
  if (field === 'calibrated' && policy?.map === null)
    return { why: `the policy has no map for "${id}"`, column: fieldColumn }
  return found.of === 'parts' ? findPartDomain(path, found) : found
}

/** The probability of one label or level. */
const findPartDomain = (
  { id, field, key, fieldColumn, keyColumn = fieldColumn }: Path,
  { part, names }: Parts,
): Domain | ExpressionFault => {
  if (key === undefined)
    return { why: `"${field}" needs a ${part}: ${field}["…"]`, column: fieldColumn }
  if (names === undefined || names.has(key)) return chance
  const others =
    part === 'level' ? `; its levels are 0 to ${names.size - 1}` : suggest(key, [...names])
  return { why: `"${id}" has no ${part} "${key}"${others}`, column: keyColumn }
}

/** Checks that a literal is of the kind of its path, and that the question has that label. */
const checkLiteral = (
  { path, operator, column }: FieldComparison,
  domain: Domain,
  literal: RequirementLiteral,
): ExpressionFault | undefined => {
  const { value } = literal
  if (domain.of === 'number')
    return typeof value === 'string'
      ? { why: `${path.text} is a number, not a text`, column: literal.column }
      : undefined
  if (typeof value === 'number')
    return { why: `${path.text} is a text, not a number`, column: literal.column }
  if (operator !== '==' && operator !== '!=' && operator !== 'in')
    return { why: 'texts compare by ==, != and in only', column }
  if (domain.what !== 'label' || domain.among === undefined || domain.among.has(value))
    return undefined
  const near = suggest(value, [...domain.among])
  return { why: `"${path.id}" has no label "${value}"${near}`, column: literal.column }
}

/** Whether a comparison with this value holds for some value of the path. */
const canHold = (
  operator: FieldComparison['operator'],
  domain: Domain,
  value: number | string,
): boolean => {
  if (domain.of === 'text') {
    const { among } = domain
    const isText = typeof value === 'string' && (among === undefined || among.has(value))
    return operator === '!=' ? !isText || among?.size !== 1 : isText
  }
  const { from, to, whole } = domain
  if (typeof value !== 'number') return false
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

const describeDomain = (domain: Domain): string => {
  if (domain.of === 'text')
    return `is ${[...(domain.among ?? [])].map((one) => `"${one}"`).join(' or ')}`
  const { from, to, whole } = domain
  const kind = whole ? 'a whole number ' : ''
  return Number.isFinite(to) ? `is ${kind}from ${from} to ${to}` : `is ${kind}not below ${from}`
}
