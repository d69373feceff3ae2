import * as E from 'fp-ts/Either'
import { encodeText } from '../../../codec/json/draft'
import { parseText } from '../../../codec/json/parse'
import { abbreviate } from '../../contract/problem'
import type { Recording } from './recordings'

/** In characters. Comparing a longer request would take too long. */
const maxRequestLength = 1 << 16

/** The number of characters of each request that are compared. */
const maxComparedLength = 1 << 12

/**
 * Describes how a request differs from the most similar recorded one: names the parts in which they differ, and with
 * `withValues` shows both values of the first part.
 */
export const describeNearest = (
  recordings: ReadonlyArray<Recording>,
  request: string,
  withValues = false,
): string => {
  if (request.length > maxRequestLength) return 'No recorded request is the same.'
  const words = listWords(request)
  let nearest: Recording | undefined
  let maxSimilarity = -1
  for (const recording of recordings) {
    const similarity = measureSimilarity(words, listWords(recording.request))
    if (similarity > maxSimilarity) {
      maxSimilarity = similarity
      nearest = recording
    }
  }
  if (nearest === undefined) return 'No request of this kind is recorded.'
  const parts = listDifferingParts(request, nearest.request)
  const said = `No recorded request is the same. Nearest is ${nearest.scenario}, which differs in ${listNames(parts)}.`
  const [first] = parts
  if (!withValues || first === undefined) return said
  const [recorded, received] = [nearest.request, request].map((text) => readValue(text, first))
  return `${said} ${abbreviate(first)}: recorded ${recorded}, received ${received}.`
}

const listWords = (json: string): ReadonlySet<string> =>
  new Set(json.slice(0, maxComparedLength).match(/[\p{L}\p{N}_.-]+/gu) ?? [])

/** Measures the similarity of two sets of words, 0 to 1: common words divided by all words (Jaccard index). */
const measureSimilarity = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let common = 0
  for (const word of a) if (b.has(word)) common++
  const all = a.size + b.size - common
  return all === 0 ? 1 : common / all
}

/** Lists the members, and the questions, in which two documents differ. */
const listDifferingParts = (one: string, other: string): ReadonlyArray<string> => {
  const [a, b] = [parseParts(one), parseParts(other)]
  if (a === undefined || b === undefined) return ['the whole body']
  const names = [...new Set([...a.keys(), ...b.keys()])].filter(
    (name) => a.get(name) !== b.get(name),
  )
  return names.length === 0 ? ['the order of its members'] : names
}

/** Returns the value of a part of a document, cut to a short text; the document itself if it is not an object. */
const readValue = (text: string, name: string): string => {
  const parts = parseParts(text)
  return abbreviate(parts === undefined ? text : (parts.get(name) ?? 'nothing'))
}

const parseParts = (text: string): ReadonlyMap<string, string> | undefined => {
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

const maxNamedParts = 3

const listNames = (names: ReadonlyArray<string>): string => {
  const named = names.slice(0, maxNamedParts).map(abbreviate)
  const rest = names.length - named.length
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(' and ')
}
