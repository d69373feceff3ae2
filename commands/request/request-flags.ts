import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import {
  maxImageBytes,
  type RequestImage,
  recognizeImage,
  stateTextMember,
} from '../../lib/codec/images'
import type { RequestQuestion } from '../../lib/codec/question'
import { type Failure, usage, validation } from '../../lib/failure/failure'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import type { Files } from '../../lib/runtime/runtime'

/** The values of the question flags, each in the order of the command line. `noul` is svc's word for a yes/no question. */
export interface QuestionFlags {
  readonly noul: ReadonlyArray<string>
  readonly choice: ReadonlyArray<string>
  readonly score: ReadonlyArray<string>
}

/** A question from the command line, and its id: the key before the `=`. */
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

/** A parsed value, or the message for a usage error. */
type Parsed<A> = E.Either<string, A>

/** Fails if two questions have the same id. */
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
  const parsed = splitList(value, { flag: '--choice', separator: ',', elementName: 'label' })
  if (E.isLeft(parsed)) return parsed
  const { key, instructions, elements } = parsed.right
  const criteria = elements.map((label) => [label, null] as const)
  return E.right([key, { type: 'choice', instructions, criteria }])
}

const parseScore = (value: string): Parsed<NamedQuestionFlag> => {
  const parsed = splitList(value, { flag: '--score', separator: '|', elementName: 'level' })
  if (E.isLeft(parsed)) return parsed
  const { key, instructions, elements } = parsed.right
  return elements.length < 2
    ? E.left(`--score "${value}": needs at least two levels separated by |`)
    : E.right([key, { type: 'score', instructions, criteria: elements }])
}

/** Splits a value at its first `=`. Trims the key but not the text after the `=`. */
const splitKey = (flag: string, value: string): Parsed<readonly [key: string, text: string]> => {
  const equalsIndex = value.indexOf('=')
  if (equalsIndex <= 0) return E.left(`${flag} "${value}": expected key=instructions`)
  const key = value.slice(0, equalsIndex).trim()
  return key === ''
    ? E.left(`${flag} "${value}": question key must not be blank`)
    : E.right([key, value.slice(equalsIndex + 1)])
}

/** The parts of `key=instructions:elements`. */
interface KeyedList {
  readonly key: string
  readonly instructions: string
  /** The labels or levels, trimmed. */
  readonly elements: ReadonlyArray<string>
}

/** A flag whose value ends in a list. */
interface ListFlag {
  readonly flag: '--choice' | '--score'
  readonly separator: string
  /** The name of an element in messages. */
  readonly elementName: 'label' | 'level'
}

/** Splits a value into its parts: at the first `=`, at the last `:`, and at every separator. */
const splitList = (
  value: string,
  { flag, separator, elementName }: ListFlag,
): Parsed<KeyedList> => {
  const parsed = splitKey(flag, value)
  if (E.isLeft(parsed)) return parsed
  const [key, text] = parsed.right
  const colonIndex = text.lastIndexOf(':')
  if (colonIndex < 0) return E.left(`${flag} "${value}": expected key=instructions:labels`)
  const untrimmedElements = text.slice(colonIndex + 1).split(separator)
  const elements = untrimmedElements.map((element) => element.trim())
  if (elements.includes('')) return E.left(`${flag} "${value}": empty label`)
  const duplicate = findDuplicate(elements)
  return duplicate === undefined
    ? E.right({ key, instructions: text.slice(0, colonIndex), elements })
    : E.left(`${flag} "${value}": duplicate ${elementName} "${duplicate}"`)
}

/** Returns the first text that repeats an earlier one. */
export const findDuplicate = (texts: ReadonlyArray<string>): string | undefined => {
  const seen = new Set<string>()
  for (const text of texts) {
    if (seen.has(text)) return text
    seen.add(text)
  }
  return undefined
}

/**
 * Reads the images of `--image <name>=<path>`. Fails with a usage error, or with a validation error if an image is too large.
 */
export const readImageFlags = async (
  values: ReadonlyArray<string>,
  files: Pick<Files, 'read'>,
): Promise<E.Either<Failure, ReadonlyArray<RequestImage>>> => {
  const images: RequestImage[] = []
  for (const value of values) {
    const equalsSign = value.indexOf('=')
    // Without an equals sign the name is empty, which is a fault.
    const name = value.slice(0, Math.max(0, equalsSign)).trim()
    const path = value.slice(equalsSign + 1)
    const fault = describeImageFlagFault({ value, name, path }, images)
    if (fault !== undefined) return E.left(usage(fault))
    const image = await readImage(files, name, path)
    if (E.isLeft(image)) return image
    images.push(image.right)
  }
  return E.right(images)
}

/** A value of `--image`, and its two parts. */
interface ImageFlag {
  readonly value: string
  readonly name: string
  readonly path: string
}

/** Describes what is wrong with a flag; `undefined` if nothing is. `images` are those of the flags before it. */
const describeImageFlagFault = (
  { value, name, path }: ImageFlag,
  images: ReadonlyArray<RequestImage>,
): string | undefined => {
  if (name === '' || path === '') return `--image "${value}": expected name=path`
  if (name === stateTextMember)
    return `--image "${value}": "${stateTextMember}" is the name of the text of --state`
  const isDuplicate = images.some((image) => image.name === name)
  return isDuplicate ? `duplicate image name "${name}"` : undefined
}

/** Reads an image file. Detects the format by the first bytes, not by the name of the file. */
const readImage = async (
  files: Pick<Files, 'read'>,
  name: string,
  path: string,
): Promise<E.Either<Failure, RequestImage>> => {
  try {
    const bytes = Buffer.from(await files.read(path, maxImageBytes))
    if (bytes.length > maxImageBytes)
      return E.left(validation(`assets.${name}`, `${path} exceeds ${maxImageBytes >> 20} MiB`))
    const format = recognizeImage(bytes)
    return format === undefined
      ? E.left(usage(`read image ${name}: ${path}: it is not PNG, JPEG or WebP`))
      : E.right({ name, format, base64: bytes.toString('base64') })
  } catch (error) {
    return E.left(usage(`read image ${name}: ${path}: ${reasonOf(error)}`))
  }
}
