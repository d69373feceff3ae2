import { suggest } from '../../failure/suggestion'
import type { UsablePolicy } from '../policy/policy'
import {
  type AnswerPath,
  type Expression,
  type ExpressionFault,
  type FieldComparison,
  listComparisons,
  type RequirementLiteral,
} from './expression'
import type { QuestionShape, QuestionShapes } from './shape'

/** The possible values of a path. */
type Domain =
  | {
      readonly type: 'text'
      /** The possible texts; `undefined` if they are unknown. */
      readonly among: ReadonlySet<string> | undefined
      readonly kind: 'label' | 'outcome'
    }
  | {
      readonly type: 'number'
      readonly from: number
      readonly to: number
      /** `true` if only whole numbers are possible. */
      readonly isWhole?: true
    }

/** The domain of a field, such as `probabilities`, that has a number for each label or level. */
interface KeyedDomain {
  readonly type: 'keyed'
  readonly keyType: 'label' | 'level'
  /** The labels or levels; `undefined` if they are unknown. */
  readonly keys: ReadonlySet<string> | undefined
}

/** The domain of each field of an answer, by the name of the field. */
type FieldDomains = Readonly<Record<string, Domain | KeyedDomain>>

/** Finds the first fault of an expression about these questions, from left to right. `undefined` if the expression is valid. */
export const checkExpression = (
  expression: Expression,
  shapes: QuestionShapes,
): ExpressionFault | undefined => {
  for (const comparison of listComparisons(expression)) {
    const shape = shapes.get(comparison.path.id)
    const fault =
      shape === undefined
        ? describeUnknownQuestion(comparison.path, shapes)
        : checkComparison(comparison, shape)
    if (fault !== undefined) return fault
  }
  return undefined
}

const describeUnknownQuestion = (
  { id, column }: AnswerPath,
  shapes: QuestionShapes,
): ExpressionFault => ({
  message: `no question "${id}"${suggest(id, [...shapes.keys()])}`,
  column,
})

const checkComparison = (
  comparison: FieldComparison,
  shape: QuestionShape,
): ExpressionFault | undefined => {
  const { path, literals, operator } = comparison
  if (shape.type === 'other')
    return {
      message: `"${path.id}" is of type ${shape.name}, which has no fields`,
      column: path.column,
    }
  if (shape.type === 'refusal') return undefined
  const domain = findDomain(path, shape)
  if ('message' in domain) return domain
  for (const literal of literals) {
    const fault = checkLiteral(comparison, domain, literal)
    if (fault !== undefined) return fault
  }
  const column =
    domain.type === 'text' ? (literals[0] as RequirementLiteral).column : comparison.column
  return literals.some(({ value }) => canHold(operator, domain, value))
    ? undefined
    : { message: `${path.text} ${describeDomain(domain)}: this never holds`, column }
}

type KnownShape = Exclude<QuestionShape, { readonly type: 'other' | 'refusal' }>

const probabilityDomain: Domain = { type: 'number', from: 0, to: 1 }

/** Returns the domain of each field of an answer. */
const listFields = (shape: KnownShape): FieldDomains => {
  switch (shape.type) {
    case 'noul':
      return { noul: probabilityDomain, ...listPolicyFields(shape.policy, probabilityDomain) }
    case 'choice': {
      const { labels, chosen = [] } = shape
      const among = labels && new Set([...labels, ...chosen])
      const keyed: KeyedDomain = { type: 'keyed', keyType: 'label', keys: labels }
      return { choice: { type: 'text', among, kind: 'label' }, ...listSharedFields(shape, keyed) }
    }
    case 'score': {
      const { levels } = shape
      const levelNames =
        levels === undefined ? undefined : new Set(Array.from(Array(levels).keys(), String))
      const scale = {
        type: 'number',
        from: 0,
        to: (levels ?? Number.POSITIVE_INFINITY) - 1,
      } as const
      const keyed: KeyedDomain = { type: 'keyed', keyType: 'level', keys: levelNames }
      return { score: scale, level: { ...scale, isWhole: true }, ...listSharedFields(shape, keyed) }
    }
  }
}

const listSharedFields = ({ policy }: KnownShape, keyed: KeyedDomain): FieldDomains => ({
  confidence: probabilityDomain,
  probabilities: keyed,
  top: probabilityDomain,
  margin: probabilityDomain,
  ...listPolicyFields(policy, keyed),
})

/** Returns the domains of the fields that exist only if there is a policy for the question. */
const listPolicyFields = (
  policy: UsablePolicy | undefined,
  calibrated: Domain | KeyedDomain,
): FieldDomains => {
  if (policy === undefined) return {}
  const among = policy.map === null || policy.cut.at === null ? reviewOnly : allOutcomes
  return { outcome: { type: 'text', among, kind: 'outcome' }, calibrated }
}

const allOutcomes: ReadonlySet<string> = new Set(['accept', 'review'])
const reviewOnly: ReadonlySet<string> = new Set(['review'])

const findDomain = (path: AnswerPath, shape: KnownShape): Domain | ExpressionFault => {
  const { id, field, key, fieldColumn, keyColumn = fieldColumn } = path
  const { policy, type } = shape
  if (policy === undefined && (field === 'outcome' || field === 'calibrated'))
    return { message: `"${field}" takes a --policy that has "${id}"`, column: fieldColumn }
  const fields = new Map(Object.entries(listFields(shape)))
  const domain = fields.get(field)
  if (domain === undefined) {
    const names = [...fields.keys()]
    const message = `"${id}" is a ${type} question and has no "${field}", but ${names.join(', ')}`
    return { message: message + suggest(field, names), column: fieldColumn }
  }
  if (domain.type !== 'keyed' && key !== undefined)
    return { message: `"${field}" takes no label or level`, column: keyColumn }
  if (field === 'calibrated' && policy?.map === null)
    return { message: `the policy has no map for "${id}"`, column: fieldColumn }
  return domain.type === 'keyed' ? findKeyDomain(path, domain) : domain
}

/** Finds the domain of one label or level. */
const findKeyDomain = (
  { id, field, key, fieldColumn, keyColumn = fieldColumn }: AnswerPath,
  { keyType, keys }: KeyedDomain,
): Domain | ExpressionFault => {
  if (key === undefined)
    return { message: `"${field}" needs a ${keyType}: ${field}["…"]`, column: fieldColumn }
  if (keys === undefined || keys.has(key)) return probabilityDomain
  const hint =
    keyType === 'level' ? `; its levels are 0 to ${keys.size - 1}` : suggest(key, [...keys])
  return { message: `"${id}" has no ${keyType} "${key}"${hint}`, column: keyColumn }
}

/** Finds a literal of the wrong type, or a label that the question does not have. */
const checkLiteral = (
  { path, operator, column }: FieldComparison,
  domain: Domain,
  literal: RequirementLiteral,
): ExpressionFault | undefined => {
  const { value } = literal
  if (domain.type === 'number')
    return typeof value === 'string'
      ? { message: `${path.text} is a number, not a text`, column: literal.column }
      : undefined
  if (typeof value === 'number')
    return { message: `${path.text} is a text, not a number`, column: literal.column }
  if (operator !== '==' && operator !== '!=' && operator !== 'in')
    return { message: 'texts compare by ==, != and in only', column }
  if (domain.kind !== 'label' || domain.among === undefined || domain.among.has(value))
    return undefined
  const suggestion = suggest(value, [...domain.among])
  return { message: `"${path.id}" has no label "${value}"${suggestion}`, column: literal.column }
}

/** Checks if a comparison with `value` holds for at least one possible value of the path. */
const canHold = (
  operator: FieldComparison['operator'],
  domain: Domain,
  value: number | string,
): boolean => {
  if (domain.type === 'text') {
    const { among } = domain
    const isText = typeof value === 'string' && (among === undefined || among.has(value))
    return operator === '!=' ? !isText || among?.size !== 1 : isText
  }
  const { from, to, isWhole } = domain
  if (typeof value !== 'number') return false
  switch (operator) {
    case '==':
    case 'in':
      return value >= from && value <= to && (!isWhole || Number.isInteger(value))
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
  if (domain.type === 'text')
    return `is ${[...(domain.among ?? [])].map((text) => `"${text}"`).join(' or ')}`
  const { from, to, isWhole } = domain
  const kind = isWhole ? 'a whole number ' : ''
  return Number.isFinite(to) ? `is ${kind}from ${from} to ${to}` : `is ${kind}not below ${from}`
}
