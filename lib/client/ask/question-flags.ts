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

/** A question and its id. */
export type NamedQuestionFlag = readonly [id: string, question: RequestQuestion]

/**
 * Parses the question flags: first `--noul`, then `--choice`, then `--score`. Fails with a usage error that
 * names the flag.
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
    E.mapLeft(usage),
  )

/** The parsed value of a flag, or the error message. */
type Parsed<A> = E.Either<string, A>

const refuseDuplicates = (
  questions: ReadonlyArray<NamedQuestionFlag>,
): Parsed<ReadonlyArray<NamedQuestionFlag>> => {
  const twice = findRepeated(questions.map(([id]) => id))
  return twice === undefined ? E.right(questions) : E.left(`duplicate question key "${twice}"`)
}

const parseNoul = (value: string): Parsed<NamedQuestionFlag> =>
  pipe(
    splitKey('--noul', value),
    E.map(([key, text]) => [key, { type: 'noul', instructions: text }]),
  )

const parseChoice = (value: string): Parsed<NamedQuestionFlag> =>
  pipe(
    splitList('--choice', value, ',', 'label'),
    E.map(({ key, text, elements }) => {
      const criteria = elements.map((label) => [label, null] as const)
      return [key, { type: 'choice', instructions: text, criteria }]
    }),
  )

const parseScore = (value: string): Parsed<NamedQuestionFlag> =>
  pipe(
    splitList('--score', value, '|', 'level'),
    E.filterOrElse(
      ({ elements }) => elements.length >= 2,
      () => `--score "${value}": needs at least two levels separated by |`,
    ),
    E.map(({ key, text, elements }) => [
      key,
      { type: 'score', instructions: text, criteria: elements },
    ]),
  )

/** Splits a value at its first `=` and trims the key; the rest stays as given. */
const splitKey = (flag: string, value: string): Parsed<readonly [key: string, rest: string]> => {
  const at = value.indexOf('=')
  if (at <= 0) return E.left(`${flag} "${value}": expected key=instructions`)
  const key = value.slice(0, at).trim()
  return key === ''
    ? E.left(`${flag} "${value}": question key must not be blank`)
    : E.right([key, value.slice(at + 1)])
}

/** The parts of `key=text:elements`. */
interface KeyedList {
  readonly key: string
  readonly text: string
  /** The labels or levels, trimmed. */
  readonly elements: ReadonlyArray<string>
}

/** The first text that repeats an earlier one; `undefined` where none does. */
const findRepeated = (texts: ReadonlyArray<string>): string | undefined => {
  const seen = new Set<string>()
  for (const text of texts) {
    if (seen.has(text)) return text
    seen.add(text)
  }
  return undefined
}

/** Splits a value into key, text and list: at the first `=`, at the last `:`, and at every `separator`. */
const splitList = (
  flag: string,
  value: string,
  separator: string,
  what: 'label' | 'level',
): Parsed<KeyedList> =>
  pipe(
    splitKey(flag, value),
    E.chain(([key, rest]) => {
      const at = rest.lastIndexOf(':')
      if (at < 0) return E.left(`${flag} "${value}": expected key=instructions:labels`)
      const list = rest.slice(at + 1).split(separator)
      const elements = list.map((element) => element.trim())
      if (elements.includes('')) return E.left(`${flag} "${value}": empty label`)
      const twice = findRepeated(elements)
      return twice === undefined
        ? E.right({ key, text: rest.slice(0, at), elements })
        : E.left(`${flag} "${value}": duplicate ${what} "${twice}"`)
    }),
  )
