import * as E from 'fp-ts/Either'
import { suggest } from '../../text/suggestion'
import {
  type AnswerPath,
  type Expression,
  type ExpressionFault,
  type FieldComparison,
  listComparisons,
  type Operator,
  type RequirementLiteral,
} from './expression'
import type { QuestionShape, QuestionShapes, ShapePolicy } from './shape'

/** The possible values of a path, such as 0 to 1 for `billing.noul`. */
type Domain =
  | {
      readonly type: 'text'
      /** The possible texts; `undefined` if they are unknown. */
      readonly texts: ReadonlySet<string> | undefined
      /** A text is a label of the question, or an outcome of its policy. */
      readonly kind: 'label' | 'outcome'
    }
  | {
      readonly type: 'number'
      readonly min: number
      readonly max: number
      /** `true` if only whole numbers are possible. */
      readonly isWhole?: true
    }

/** The possible keys of a field that has a probability for each label or level, such as `probabilities`. */
interface KeyedDomain {
  readonly type: 'keyed'
  readonly keyType: 'label' | 'level'
  /** The labels or levels; `undefined` if they are unknown. */
  readonly keys: ReadonlySet<string> | undefined
}

/** The domain of each field of an answer, by the name of the field. */
type FieldDomains = Readonly<Record<string, Domain | KeyedDomain>>

/**
 * Finds the first fault of an expression about these questions, from left to right: a name that does not exist, a literal of the wrong
 * type, or a comparison that never holds. `undefined` if the expression is valid.
 */
export const checkExpression = (
  expression: Expression,
  shapes: QuestionShapes,
): ExpressionFault | undefined => {
  for (const comparison of listComparisons(expression)) {
    const domain = findPathDomain(comparison.path, shapes)
    if (E.isLeft(domain)) return domain.left
    const fault = domain.right && checkComparison(comparison, domain.right)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Checks that a path leads to a value of these questions. Fails with the first name that does not exist. */
export const checkPath = (
  path: AnswerPath,
  shapes: QuestionShapes,
): E.Either<ExpressionFault, AnswerPath> => {
  const domain = findPathDomain(path, shapes)
  return E.isLeft(domain) ? domain : E.right(path)
}

/**
 * Finds the domain of a path. It is `undefined` if all answers to the question were refusals, because then nothing is known of its
 * fields. Fails with the first name that does not exist.
 */
const findPathDomain = (
  path: AnswerPath,
  shapes: QuestionShapes,
): E.Either<ExpressionFault, Domain | undefined> => {
  const shape = shapes.get(path.id)
  if (shape === undefined) return E.left(createUnknownQuestionFault(path, shapes))
  if (shape.type === 'refusal') return E.right(undefined)
  if (shape.type !== 'other') return findDomain(path, shape)
  const message = `"${path.id}" is of type ${shape.name}, which has no fields`
  return E.left({ message, column: path.column })
}

const createUnknownQuestionFault = (
  { id, column }: AnswerPath,
  shapes: QuestionShapes,
): ExpressionFault => ({
  message: `no question "${id}"${suggest(id, [...shapes.keys()])}`,
  column,
})

const checkComparison = (
  comparison: FieldComparison,
  domain: Domain,
): ExpressionFault | undefined => {
  const { path, literals, operator } = comparison
  for (const literal of literals) {
    const fault = checkLiteral(comparison, domain, literal)
    if (fault !== undefined) return fault
  }
  if (literals.some(({ value }) => canHold(operator, domain, value))) return undefined
  const message = `${path.text} ${describeDomain(domain)}: this never holds`
  // A text is impossible by itself. A number, as in `q.noul > 1`, is impossible with this operator. There is at least one literal.
  const { column } = domain.type === 'text' ? (literals[0] ?? comparison) : comparison
  return { message, column }
}

/** The shape of a question of a known type, or of one that was never answered. */
type KnownShape = Exclude<QuestionShape, { readonly type: 'other' }>

const probabilityDomain: Domain = { type: 'number', min: 0, max: 1 }

const allOutcomes: ReadonlySet<string> = new Set(['accept', 'review'])

/**
 * A policy sends every answer to review if it has no calibration map, which corrects the probabilities, or no cut, which is the lowest
 * value that is accepted.
 */
const reviewOnly: ReadonlySet<string> = new Set(['review'])

/** Creates the domain of each field of an answer. */
const createFieldDomains = (shape: KnownShape): FieldDomains => {
  switch (shape.type) {
    case 'refusal':
      return createPolicyDomains(shape.policy, probabilityDomain)
    // A yes/no question.
    case 'noul':
      return { noul: probabilityDomain, ...createPolicyDomains(shape.policy, probabilityDomain) }
    case 'choice': {
      const { labels, chosen = [] } = shape
      const texts = labels && new Set([...labels, ...chosen])
      const keyed: KeyedDomain = { type: 'keyed', keyType: 'label', keys: labels }
      return {
        choice: { type: 'text', texts, kind: 'label' },
        ...createSharedDomains(shape, keyed),
      }
    }
    case 'score': {
      const { levelCount } = shape
      const levelNames =
        levelCount === undefined
          ? undefined
          : new Set(Array.from({ length: levelCount }, (_, level) => String(level)))
      const scale = {
        type: 'number',
        min: 0,
        // An unknown number of levels allows any score.
        max: (levelCount ?? Number.POSITIVE_INFINITY) - 1,
      } as const
      const keyed: KeyedDomain = { type: 'keyed', keyType: 'level', keys: levelNames }
      return {
        score: scale,
        level: { ...scale, isWhole: true },
        ...createSharedDomains(shape, keyed),
      }
    }
  }
}

/**
 * Creates the domains of the fields that both choices and scores have. `top` is the largest probability, and `margin` its difference
 * to the second largest.
 */
const createSharedDomains = ({ policy }: KnownShape, keyed: KeyedDomain): FieldDomains => ({
  confidence: probabilityDomain,
  probabilities: keyed,
  top: probabilityDomain,
  margin: probabilityDomain,
  ...createPolicyDomains(policy, keyed),
})

/** Creates the domains of the fields that exist only if there is a policy for the question. */
const createPolicyDomains = (
  policy: ShapePolicy | undefined,
  calibrated: Domain | KeyedDomain,
): FieldDomains => {
  if (policy === undefined) return {}
  const texts = policy.map === null || policy.cut.at === null ? reviewOnly : allOutcomes
  return { outcome: { type: 'text', texts, kind: 'outcome' }, calibrated }
}

/** Finds the domain of a path. Fails if the question does not have the field, or the field does not have the label or level. */
const findDomain = (path: AnswerPath, shape: KnownShape): E.Either<ExpressionFault, Domain> => {
  const { id, field, key, fieldColumn, keyColumn } = path
  const { policy, type } = shape
  const refuseField = (message: string) => E.left({ message, column: fieldColumn })
  if (policy === undefined && (field === 'outcome' || field === 'calibrated'))
    return refuseField(`"${field}" takes a --policy that has "${id}"`)
  const domains = new Map(Object.entries(createFieldDomains(shape)))
  const domain = domains.get(field)
  if (domain === undefined) {
    const names = [...domains.keys()]
    const message = `"${id}" is a ${type} question and has no "${field}", but ${names.join(', ')}`
    return refuseField(message + suggest(field, names))
  }
  if (domain.type !== 'keyed' && key !== undefined)
    return E.left({ message: `"${field}" takes no label or level`, column: keyColumn })
  if (field === 'calibrated' && policy?.map === null)
    return refuseField(`the policy has no map for "${id}"`)
  return domain.type === 'keyed' ? findKeyDomain(path, domain) : E.right(domain)
}

/** Returns the domain of a label or level, which is that of a probability. Fails if the question does not have the label or level. */
const findKeyDomain = (
  { id, field, key, fieldColumn, keyColumn }: AnswerPath,
  { keyType, keys }: KeyedDomain,
): E.Either<ExpressionFault, Domain> => {
  if (key === undefined)
    return E.left({ message: `"${field}" needs a ${keyType}: ${field}["…"]`, column: fieldColumn })
  if (keys === undefined || keys.has(key)) return E.right(probabilityDomain)
  const hint =
    keyType === 'level' ? `; its levels are 0 to ${keys.size - 1}` : suggest(key, [...keys])
  return E.left({ message: `"${id}" has no ${keyType} "${key}"${hint}`, column: keyColumn })
}

/** Returns a fault if a literal has the wrong type or operator, or is a label that the question does not have. */
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
  // An outcome that does not exist makes a comparison that never holds. That message lists the outcomes.
  if (domain.kind === 'outcome') return undefined
  if (domain.texts === undefined || domain.texts.has(value)) return undefined
  const suggestion = suggest(value, [...domain.texts])
  return { message: `"${path.id}" has no label "${value}"${suggestion}`, column: literal.column }
}

/** Returns `true` if a comparison with a literal holds for at least one possible value of the path. */
const canHold = (operator: Operator, domain: Domain, literal: number | string): boolean => {
  if (domain.type === 'text') {
    const { texts } = domain
    const isPossible = typeof literal === 'string' && (texts === undefined || texts.has(literal))
    const isOnlyText = isPossible && texts?.size === 1
    return operator === '!=' ? !isOnlyText : isPossible
  }
  const { min, max, isWhole } = domain
  if (typeof literal !== 'number') return false
  switch (operator) {
    case '==':
    case 'in':
      return literal >= min && literal <= max && (!isWhole || Number.isInteger(literal))
    case '!=':
      return true
    case '<':
      return min < literal
    case '<=':
      return min <= literal
    case '>':
      return max > literal
    case '>=':
      return max >= literal
  }
}

/** Describes the possible values for a message, such as `is from 0 to 1` or `is "accept" or "review"`. */
const describeDomain = (domain: Domain): string => {
  // Any text is possible if `texts` is unknown. Such a domain needs no description, because every comparison can hold.
  if (domain.type === 'text')
    return `is ${[...(domain.texts ?? [])].map((text) => `"${text}"`).join(' or ')}`
  const { min, max, isWhole } = domain
  const wholeNumber = isWhole ? 'a whole number ' : ''
  return Number.isFinite(max)
    ? `is ${wholeNumber}from ${min} to ${max}`
    : `is ${wholeNumber}not below ${min}`
}
