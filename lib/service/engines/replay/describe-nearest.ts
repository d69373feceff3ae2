import * as E from 'fp-ts/Either'
import { encodeText } from '../../../codec/json/draft'
import { parseText } from '../../../codec/json/parse'
import { abbreviate } from '../../contract/problem'
import type { Recording } from './recordings'

/** Longer requests, in characters, are not compared with the recorded ones, because that would take too long. */
const maxRequestLength = 1 << 16

/** Only this many characters of each request are compared. */
const maxComparedLength = 1 << 12

/**
 * Names the recorded request that is most similar to one that was not found, and the parts in which the two differ. With
 * `withValues` it shows both values of the first such part.
 */
export const describeNearest = (
  recordings: ReadonlyArray<Recording>,
  request: string,
  withValues = false,
): string => {
  if (request.length > maxRequestLength) return 'No recorded request is the same.'
  const nearest = findNearest(recordings, request)
  if (nearest === undefined) return 'No request of this kind is recorded.'
  const parts = listDifferences(request, nearest.request)
  const message = `No recorded request is the same. Nearest is ${nearest.scenario}, which differs in ${formatNames(parts)}.`
  const [first] = parts
  if (!withValues || first === undefined) return message
  const recorded = readPart(nearest.request, first)
  const received = readPart(request, first)
  return `${message} ${abbreviate(first)}: recorded ${recorded}, received ${received}.`
}

const findNearest = (
  recordings: ReadonlyArray<Recording>,
  request: string,
): Recording | undefined => {
  const words = splitWords(request)
  let nearest: Recording | undefined
  let maxSimilarity = -1
  for (const recording of recordings) {
    const similarity = computeSimilarity(words, splitWords(recording.request))
    if (similarity > maxSimilarity) {
      maxSimilarity = similarity
      nearest = recording
    }
  }
  return nearest
}

const splitWords = (json: string): ReadonlySet<string> =>
  new Set(json.slice(0, maxComparedLength).match(/[\p{L}\p{N}_.-]+/gu) ?? [])

/** Computes the similarity of two sets of words, 0 to 1: common words divided by all words (Jaccard index). */
const computeSimilarity = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let common = 0
  for (const word of a) if (b.has(word)) common++
  const all = a.size + b.size - common
  return all === 0 ? 1 : common / all
}

/** Lists the names of the members, and of the questions, in which two documents differ. */
const listDifferences = (received: string, recorded: string): ReadonlyArray<string> => {
  const a = splitParts(received)
  const b = splitParts(recorded)
  if (a === undefined || b === undefined) return ['the whole body']
  const names = new Set([...a.keys(), ...b.keys()])
  const different = [...names].filter((name) => a.get(name) !== b.get(name))
  return different.length === 0 ? ['the order of its members'] : different
}

/** Returns the value of a part of a document, abbreviated. A document without parts is returned itself. */
const readPart = (document: string, name: string): string => {
  const parts = splitParts(document)
  return abbreviate(parts === undefined ? document : (parts.get(name) ?? 'nothing'))
}

/** Splits a JSON object into its members, and `questions` into single questions. `undefined` if it is no JSON object. */
const splitParts = (text: string): ReadonlyMap<string, string> | undefined => {
  const document = parseText(text)
  if (E.isLeft(document) || !(document.right instanceof Map)) return undefined
  const parts = new Map<string, string>()
  for (const [key, value] of document.right) {
    if (key === 'questions' && value instanceof Map) {
      for (const [id, question] of value) parts.set(`questions.${id}`, encodeText(question))
    } else parts.set(key, encodeText(value))
  }
  return parts
}

const maxNames = 3

const formatNames = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, maxNames).map(abbreviate)
  const hiddenCount = names.length - shown.length
  return hiddenCount > 0 ? `${shown.join(', ')} and ${hiddenCount} more` : shown.join(' and ')
}
