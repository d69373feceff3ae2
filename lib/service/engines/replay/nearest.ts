import * as E from 'fp-ts/Either'
import { encodeText } from '../../../codec/json/draft'
import { parseText } from '../../../codec/json/parse'
import { abbreviate } from '../../contract/problem'
import type { Recording } from './recordings'

/** A request of more characters is compared with no other: that would take too long. */
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
  const words = wordsOf(request)
  let best: Recording | undefined
  let most = -1
  for (const recording of recordings) {
    const alike = likeness(words, wordsOf(recording.request))
    if (alike > most) {
      most = alike
      best = recording
    }
  }
  if (best === undefined) return 'No request of this kind is recorded.'
  const parts = differences(request, best.request)
  const said = `No recorded request is the same. Nearest is ${best.scenario}, which differs in ${listNames(parts)}.`
  const [first] = parts
  if (!withValues || first === undefined) return said
  const [recorded, received] = [best.request, request].map((text) => readValue(text, first))
  return `${said} ${abbreviate(first)}: recorded ${recorded}, received ${received}.`
}

const wordsOf = (json: string): ReadonlySet<string> =>
  new Set(json.slice(0, maxComparedLength).match(/[\p{L}\p{N}_.-]+/gu) ?? [])

/** The similarity of two sets of words, 0 to 1: common words divided by all words (Jaccard index). */
const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let common = 0
  for (const word of a) if (b.has(word)) common++
  const all = a.size + b.size - common
  return all === 0 ? 1 : common / all
}

/** The names of the members, and of the questions, in which two documents differ. */
const differences = (one: string, other: string): ReadonlyArray<string> => {
  const [a, b] = [partsOf(one), partsOf(other)]
  if (a === undefined || b === undefined) return ['the whole body']
  const names = [...new Set([...a.keys(), ...b.keys()])].filter(
    (name) => a.get(name) !== b.get(name),
  )
  return names.length === 0 ? ['the order of its members'] : names
}

/** The value of a part of a document, cut to a short text; the document itself if it has no parts. */
const readValue = (text: string, name: string): string => {
  const parts = partsOf(text)
  return abbreviate(parts === undefined ? text : (parts.get(name) ?? 'nothing'))
}

const partsOf = (text: string): ReadonlyMap<string, string> | undefined => {
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

const maxNamed = 3

const listNames = (names: ReadonlyArray<string>): string => {
  const named = names.slice(0, maxNamed).map(abbreviate)
  const rest = names.length - named.length
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(' and ')
}
