import { type Fault, type FaultType, type Loc, requiredMessage } from './fault'
import type { JsonValue } from './json/json'
import type { Choice, Noul, RequestQuestion, Score } from './question'

/** The maximum number of labels of a choice. */
export const maxLabels = 255

const minLevels = 2

/** The maximum number of levels of a score. */
export const maxLevels = 10

/** Checks if a name in the probabilities of a score is the index of a level. */
export const isLevel = (name: string): boolean => /^\d$/.test(name) && Number(name) < maxLevels

/**
 * Checks the types of contents and the number of labels or levels, because the decoder does not. Paths of faults are relative to
 * the question.
 */
export const checkQuestion = (question: RequestQuestion): ReadonlyArray<Fault> =>
  question.type === 'other'
    ? []
    : [...checkContent(question.instructions, 'instructions'), ...checkCriteria(question)]

const checkCriteria = (question: Noul | Choice | Score): ReadonlyArray<Fault> => {
  switch (question.type) {
    case 'noul':
      return (['true', 'false'] as const).flatMap((side) =>
        checkContent(question.criteria?.[side], 'criteria', side),
      )
    case 'choice':
      return checkLabels(question)
    case 'score':
      return checkLevels(question)
  }
}

const fault = (type: FaultType, message: string, ...loc: Loc): Fault => ({ loc, type, message })

/** Checks that content is a string, an object or an array. */
const checkContent = (value: JsonValue | undefined, ...loc: Loc): ReadonlyArray<Fault> => {
  if (value === undefined) return []
  return typeof value === 'string' || Array.isArray(value) || value instanceof Map
    ? []
    : [fault('content_type', 'must be text, an object or an array', ...loc)]
}

const checkLabels = ({ criteria = [] }: Choice): ReadonlyArray<Fault> => {
  const count = criteria.length
  if (count === 0) return [fault('too_short', 'choice requires at least one label', 'criteria')]
  const tooMany = `choice allows at most ${maxLabels} labels, got ${count}`
  return [
    ...(count > maxLabels ? [fault('too_long', tooMany, 'criteria')] : []),
    ...criteria
      .slice(0, maxLabels)
      .flatMap(([label, description]) => checkContent(description ?? undefined, 'criteria', label)),
  ]
}

const checkLevels = ({ criteria = [] }: Score): ReadonlyArray<Fault> => {
  const count = criteria.length
  const message = `score requires between ${minLevels} and ${maxLevels} levels, got ${count}`
  return [
    ...(count < minLevels ? [fault('too_short', message, 'criteria')] : []),
    ...(count > maxLevels ? [fault('too_long', message, 'criteria')] : []),
    ...criteria
      .slice(0, maxLevels)
      .flatMap((level, index) =>
        level === null
          ? [fault('missing', requiredMessage, 'criteria', index)]
          : checkContent(level, 'criteria', index),
      ),
  ]
}
