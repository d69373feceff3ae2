import * as E from 'fp-ts/Either'
import { encodeText } from '../../../codec/json/draft'
import { parseText } from '../../../codec/json/parse'
import { abbreviate } from '../../contract/problem'
import type { Recording } from './recordings'

/** The maximum length of a request that is compared with the recorded ones, in characters. A longer one would take too long. */
const maxRequestLength = 64 << 10

/** The length of the beginning of a request that is searched for words, in characters. */
const maxComparedLength = 4 << 10

/** Shown instead of names of members, if two documents have equal members. */
const memberOrder = 'the order of its members'

/** Shown instead of names of members, if one of two documents is not a JSON object. */
const wholeBody = 'the whole body'

/**
 * Names the recorded request that is most similar to a request, and the members in which the two differ. If `showsValues`, also shows
 * both values of the first of these members.
 */
export const describeNearest = (
  recordings: ReadonlyArray<Recording>,
  requestBody: string,
  showsValues = false,
): string => {
  if (requestBody.length > maxRequestLength) return 'No recorded request is the same.'
  const nearest = findNearest(recordings, requestBody)
  if (nearest === undefined) return 'No request of this kind is recorded.'
  const differences = listDifferences(requestBody, nearest.requestBody)
  const message = `No recorded request is the same. Nearest is ${nearest.scenario}, which differs in ${formatNames(differences)}.`
  const [first] = differences
  if (!showsValues || first === undefined || first === memberOrder) return message
  const recorded = readMember(nearest.requestBody, first)
  const received = readMember(requestBody, first)
  return `${message} ${abbreviate(first)}: recorded ${recorded}, received ${received}.`
}

const findNearest = (
  recordings: ReadonlyArray<Recording>,
  requestBody: string,
): Recording | undefined => {
  const words = splitWords(requestBody)
  let nearest: Recording | undefined
  // Lower than any similarity.
  let maxSimilarity = -1
  for (const recording of recordings) {
    const similarity = computeSimilarity(words, splitWords(recording.requestBody))
    if (similarity > maxSimilarity) {
      maxSimilarity = similarity
      nearest = recording
    }
  }
  return nearest
}

const splitWords = (json: string): ReadonlySet<string> =>
  new Set(json.slice(0, maxComparedLength).match(/[\p{L}\p{N}_.-]+/gu) ?? [])

/** Computes the Jaccard index of two sets of words, 0 to 1: the number of common words divided by the number of all words. */
const computeSimilarity = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let common = 0
  for (const word of a) if (b.has(word)) common++
  const unionSize = a.size + b.size - common
  return unionSize === 0 ? 1 : common / unionSize
}

/** Lists the names of the members and the single questions in which two documents differ, or `wholeBody` or `memberOrder`. */
const listDifferences = (receivedBody: string, recordedBody: string): ReadonlyArray<string> => {
  const received = splitMembers(receivedBody)
  const recorded = splitMembers(recordedBody)
  if (received === undefined || recorded === undefined) return [wholeBody]
  const names = new Set([...received.keys(), ...recorded.keys()])
  const different = [...names].filter((name) => received.get(name) !== recorded.get(name))
  return different.length === 0 ? [memberOrder] : different
}

/** Returns the abbreviated text of a member. For a document that is not an object, returns the text of the document. */
const readMember = (document: string, name: string): string => {
  const members = splitMembers(document)
  return abbreviate(members === undefined ? document : (members.get(name) ?? 'nothing'))
}

/** Splits a JSON object into its members, and `questions` into single questions. Returns `undefined` for any other text. */
const splitMembers = (text: string): ReadonlyMap<string, string> | undefined => {
  const document = parseText(text)
  if (E.isLeft(document) || !(document.right instanceof Map)) return undefined
  const members = new Map<string, string>()
  for (const [key, value] of document.right) {
    if (key === 'questions' && value instanceof Map) {
      for (const [id, question] of value) members.set(`questions.${id}`, encodeText(question))
    } else members.set(key, encodeText(value))
  }
  return members
}

const maxShownNames = 3

/** Formats names of members: `state and model`, or the first three and the number of the others. */
const formatNames = (names: ReadonlyArray<string>): string => {
  const shownNames = names.slice(0, maxShownNames).map(abbreviate)
  const hiddenCount = names.length - shownNames.length
  return hiddenCount > 0
    ? `${shownNames.join(', ')} and ${hiddenCount} more`
    : shownNames.join(' and ')
}
