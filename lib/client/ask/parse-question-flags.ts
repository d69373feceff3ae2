import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { RequestQuestion } from '../../codec/question'
import { type Failure, usage } from '../../failure/failure'

/** The values of the question flags, each in the order of the command line. */
export interface QuestionFlags {
  readonly noul: ReadonlyArray<string>
  readonly choice: ReadonlyArray<string>
  readonly score: ReadonlyArray<string>
}

/** A question that a flag has, and its id. */
export type NamedQuestionFlag = readonly [id: string, question: RequestQuestion]

/**
 * Parses the question flags, and returns the questions of all `--noul`, then of all `--choice`, then of all `--score`. Fails with a
 * usage error that names the flag.
 */
export const parseQuestionFlags = (
  flags: QuestionFlags,
): E.Either<Failure, ReadonlyArray<NamedQuestionFlag>> =>
  pipe(
    [
      ...flags.noul.map(parseNoul),
      ...flags.choice.map(parseChoice),
      ...flags.score.map(parseScore),
    ],
    E.sequenceArray,
    E.chain(refuseDuplicates),
    E.mapLeft((message) => usage(message)),
  )

/** A parsed value, or the message of the usage error. */
type Parsed<A> = E.Either<string, A>

const refuseDuplicates = (
  questions: ReadonlyArray<NamedQuestionFlag>,
): Parsed<ReadonlyArray<NamedQuestionFlag>> => {
  const duplicate = findDuplicate(questions.map(([id]) => id))
  return duplicate === undefined
    ? E.right(questions)
    : E.left(`duplicate question key "${duplicate}"`)
}

const parseNoul = (value: string): Parsed<NamedQuestionFlag> => {
  const parsed = splitKey('--noul', value)
  if (E.isLeft(parsed)) return parsed
  const [key, instructions] = parsed.right
  return E.right([key, { type: 'noul', instructions }])
}

const parseChoice = (value: string): Parsed<NamedQuestionFlag> => {
  const parsed = splitList('--choice', value, ',', 'label')
  if (E.isLeft(parsed)) return parsed
  const { key, instructions, elements } = parsed.right
  const criteria = elements.map((label) => [label, null] as const)
  return E.right([key, { type: 'choice', instructions, criteria }])
}

const parseScore = (value: string): Parsed<NamedQuestionFlag> => {
  const parsed = splitList('--score', value, '|', 'level')
  if (E.isLeft(parsed)) return parsed
  const { key, instructions, elements } = parsed.right
  return elements.length < 2
    ? E.left(`--score "${value}": needs at least two levels separated by |`)
    : E.right([key, { type: 'score', instructions, criteria: elements }])
}

/** Splits a value at its first `=`. Trims the key but not the text behind it. */
const splitKey = (flag: string, value: string): Parsed<readonly [key: string, text: string]> => {
  const at = value.indexOf('=')
  if (at <= 0) return E.left(`${flag} "${value}": expected key=instructions`)
  const key = value.slice(0, at).trim()
  return key === ''
    ? E.left(`${flag} "${value}": question key must not be blank`)
    : E.right([key, value.slice(at + 1)])
}

/** The parts of `key=instructions:elements`. */
interface KeyedList {
  readonly key: string
  readonly instructions: string
  /** The labels or levels, trimmed. */
  readonly elements: ReadonlyArray<string>
}

/** Splits a value into its parts: at the first `=`, at the last `:`, and at every `separator`. */
const splitList = (
  flag: string,
  value: string,
  separator: string,
  elementName: 'label' | 'level',
): Parsed<KeyedList> => {
  const parsed = splitKey(flag, value)
  if (E.isLeft(parsed)) return parsed
  const [key, text] = parsed.right
  const at = text.lastIndexOf(':')
  if (at < 0) return E.left(`${flag} "${value}": expected key=instructions:labels`)
  const list = text.slice(at + 1).split(separator)
  const elements = list.map((element) => element.trim())
  if (elements.includes('')) return E.left(`${flag} "${value}": empty label`)
  const duplicate = findDuplicate(elements)
  return duplicate === undefined
    ? E.right({ key, instructions: text.slice(0, at), elements })
    : E.left(`${flag} "${value}": duplicate ${elementName} "${duplicate}"`)
}

/** Returns the first text that repeats an earlier one. */
const findDuplicate = (texts: ReadonlyArray<string>): string | undefined => {
  const seen = new Set<string>()
  for (const text of texts) {
    if (seen.has(text)) return text
    seen.add(text)
  }
  return undefined
}
