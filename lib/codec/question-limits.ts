import { type Fault, type FaultType, type Loc, requiredMessage } from './fault'
import type { JsonValue } from './json/json'
import type { Choice, Noul, RequestQuestion, Score } from './question'

/** The maximum number of labels of a choice. */
export const maxLabels = 255

/** The minimum number of levels of a score. */
const minLevels = 2

/** The maximum number of levels of a score. */
export const maxLevels = 10

/** Checks if a name in the probabilities of a score is the index of a level. */
export const isLevel = (name: string): boolean => /^\d$/.test(name) && Number(name) < maxLevels

/**
 * Checks that instructions and descriptions are texts, objects or arrays, and checks the number of labels or levels. The decoder
 * checks neither. Paths of faults are relative to the question.
 */
export const checkQuestion = (question: RequestQuestion): ReadonlyArray<Fault> =>
  question.type === 'other'
    ? []
    : [...checkContent(question.instructions, 'instructions'), ...checkCriteria(question)]

const checkCriteria = (question: Noul | Choice | Score): ReadonlyArray<Fault> => {
  switch (question.type) {
    case 'noul':
      return (['true', 'false'] as const).flatMap((outcome) =>
        checkContent(question.criteria?.[outcome], 'criteria', outcome),
      )
    case 'choice':
      return checkLabels(question)
    case 'score':
      return checkLevels(question)
  }
}

const createFault = (type: FaultType, message: string, ...loc: Loc): Fault => ({
  loc,
  type,
  message,
})

/** Checks that content is a string, an object or an array. */
const checkContent = (value: JsonValue | undefined, ...loc: Loc): ReadonlyArray<Fault> => {
  if (value === undefined) return []
  return typeof value === 'string' || Array.isArray(value) || value instanceof Map
    ? []
    : [createFault('content_type', 'must be text, an object or an array', ...loc)]
}

const checkLabels = ({ criteria = [] }: Choice): ReadonlyArray<Fault> => {
  const count = criteria.length
  if (count === 0)
    return [createFault('too_short', 'choice requires at least one label', 'criteria')]
  const tooMany = `choice allows at most ${maxLabels} labels, got ${count}`
  return [
    ...(count > maxLabels ? [createFault('too_long', tooMany, 'criteria')] : []),
    ...criteria
      .slice(0, maxLabels)
      .flatMap(([label, description]) => checkContent(description ?? undefined, 'criteria', label)),
  ]
}

const checkLevels = ({ criteria = [] }: Score): ReadonlyArray<Fault> => {
  const count = criteria.length
  const wrongCount = `score requires between ${minLevels} and ${maxLevels} levels, got ${count}`
  return [
    ...(count < minLevels ? [createFault('too_short', wrongCount, 'criteria')] : []),
    ...(count > maxLevels ? [createFault('too_long', wrongCount, 'criteria')] : []),
    ...criteria
      .slice(0, maxLevels)
      .flatMap((level, index) =>
        level === null
          ? [createFault('missing', requiredMessage, 'criteria', index)]
          : checkContent(level, 'criteria', index),
      ),
  ]
}
