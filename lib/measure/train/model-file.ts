import * as E from 'fp-ts/Either'
import {
  array,
  type Decoded,
  integer,
  nonEmpty,
  number,
  pairsOf,
  string,
} from '../../codec/combinators'
import { firstFault, formatLoc } from '../../codec/fault'
import { type Draft, encode } from '../../codec/json/draft'
import { numberOf } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { object } from '../../codec/object'
import { maxLabels, maxLevels } from '../../codec/question'
import { maxTemperature, minTemperature } from '../../runs/policy/calibration-map'
import { countWeights } from '../statistics/logistic/feature-table'
import type { OwnModel, OwnQuestion } from './own-model'
import { createTermVocabulary, type TermVocabulary } from './terms'

/** The largest model file that svc reads. */
export const maxModelFileBytes = 64 << 20

/** A model has at most this many terms. */
export const maxTerms = 20_000

/** The models of all questions have at most this many weights, which is 21 MiB of a file. */
const maxWeights = 4_000_000

/** Returns the number of terms that a model may have, whose questions compute `scoreCount` scores together. */
export const limitTerms = (scoreCount: number): number =>
  Math.min(maxTerms, Math.floor(maxWeights / Math.max(1, scoreCount)))

const fileVersion = 1

/** Encodes numbers as 32-bit floats, little-endian, in base64. */
const encodeFloats = (numbers: Float32Array): string => {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [i, value] of numbers.entries()) bytes.writeFloatLE(value, 4 * i)
  return bytes.toString('base64')
}

/** Encodes a model as the text of its file. `table` is the name of the table of vectors that it was trained with. */
export const encodeModel = ({ vocabulary, questions }: OwnModel, table: string): Buffer => {
  const document: Draft = {
    version: fileVersion,
    table,
    terms: [...vocabulary.terms],
    idf: encodeFloats(vocabulary.idf),
    questions: new Map([...questions].map(([id, question]) => [id, encodeQuestion(question)])),
  }
  return Buffer.concat([encode(document), Buffer.from('\n')])
}

const encodeQuestion = (question: OwnQuestion): Draft => {
  const { type, labels, classes } = question
  const leftOut = labels.filter((_, index) => !classes.includes(index))
  return {
    type,
    questions_sha256: question.questionsSha256,
    sha256: question.sha256,
    labels: type === 'choice' ? [...labels] : undefined,
    levels: type === 'score' ? labels.length : undefined,
    left_out: leftOut.length === 0 ? undefined : leftOut,
    rows: question.rows,
    from: question.from,
    strength: question.strength,
    temperature: question.temperature,
    weights: encodeFloats(question.weights),
  }
}

const QuestionDocument = object(
  {
    type: string,
    questions_sha256: string,
    rows: integer,
    from: string,
    strength: number,
    temperature: number,
    weights: string,
  },
  { sha256: string, labels: array(string), levels: integer, left_out: array(string) },
)

const ModelDocument = object(
  {
    version: integer,
    table: string,
    terms: array(string),
    idf: string,
    questions: nonEmpty(pairsOf(QuestionDocument)),
  },
  {},
)

/** The table of vectors that a model must have been trained with. */
interface TableFacts {
  readonly name: string
  readonly dimensions: number
}

/**
 * Decodes the text of a model file. Fails with a message that begins with the path of the first fault, such as
 * `questions.topic.weights`.
 */
export const decodeModel = (bytes: Uint8Array, table: TableFacts): E.Either<string, OwnModel> => {
  const json = parseJson(bytes)
  if (E.isLeft(json)) return E.left(`invalid JSON: ${json.left.message}`)
  const document = ModelDocument.decode(json.right)
  if (E.isLeft(document)) {
    const { loc, message } = firstFault(document.left)
    return E.left(loc.length === 0 ? message : `${formatLoc(loc)}: ${message}`)
  }
  const { version, table: tableName } = document.right
  if (numberOf(version) !== fileVersion)
    return E.left(`version: must be ${fileVersion}, which this svc reads`)
  if (tableName !== table.name)
    return E.left(`table: must be ${table.name}; train the model again with this svc`)
  const vocabulary = decodeVocabulary(document.right)
  if (E.isLeft(vocabulary)) return vocabulary
  const questions = new Map<string, OwnQuestion>()
  for (const [id, question] of document.right.questions) {
    const decoded = decodeQuestion(question, table.dimensions, vocabulary.right)
    if (E.isLeft(decoded)) return E.left(`${formatLoc(['questions', id])}.${decoded.left}`)
    questions.set(id, decoded.right)
  }
  return E.right({ dimensions: table.dimensions, vocabulary: vocabulary.right, questions })
}

/** Decodes floats. Fails with a message if there are not exactly `count`, or if one is not finite. */
const decodeFloats = (text: string, count: number): E.Either<string, Float32Array> => {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 4 * count || bytes.toString('base64') !== text)
    return E.left(`must be ${count} 32-bit floats in base64`)
  const floats = new Float32Array(count)
  for (let i = 0; i < count; i++) floats[i] = bytes.readFloatLE(4 * i)
  return floats.every(Number.isFinite) ? E.right(floats) : E.left('has a number that is not finite')
}

const decodeVocabulary = ({
  terms,
  idf,
}: Decoded<typeof ModelDocument>): E.Either<string, TermVocabulary> => {
  if (terms.length > maxTerms) return E.left(`terms: at most ${maxTerms} are allowed`)
  const weights = decodeFloats(idf, terms.length)
  if (E.isLeft(weights)) return E.left(`idf: ${weights.left}`)
  const vocabulary = createTermVocabulary(terms, weights.right)
  return vocabulary.numberOfTerm.size === terms.length
    ? E.right(vocabulary)
    : E.left('terms: one occurs twice')
}

const questionTypes = ['noul', 'choice', 'score'] as const
const sources = ['labels', 'answers'] as const

/** Decodes a question. Fails with a message that begins with the path of the member, from the question on. */
const decodeQuestion = (
  document: Decoded<typeof QuestionDocument>,
  dimensions: number,
  vocabulary: TermVocabulary,
): E.Either<string, OwnQuestion> => {
  const { questions_sha256: questionsSha256, sha256, temperature, strength } = document
  const type = questionTypes.find((name) => name === document.type)
  const from = sources.find((name) => name === document.from)
  if (type === undefined) return E.left(`type: must be one of ${questionTypes.join(', ')}`)
  if (from === undefined) return E.left(`from: must be one of ${sources.join(', ')}`)
  for (const [name, digest] of Object.entries({ questions_sha256: questionsSha256, sha256 }))
    if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest))
      return E.left(`${name}: must be 64 hexadecimal digits`)
  if (!(temperature >= minTemperature && temperature <= maxTemperature))
    return E.left(`temperature: must be from ${minTemperature} to ${maxTemperature}`)
  if (!(strength > 0 && Number.isFinite(strength))) return E.left('strength: must be above 0')
  const labels = decodeLabels(type, document)
  if (E.isLeft(labels)) return labels
  const classes = decodeClasses(labels.right, document.left_out ?? [])
  if (E.isLeft(classes)) return classes
  const termCount = vocabulary.terms.length
  const shape = { dimensions, termCount, classCount: classes.right.length }
  const weights = decodeFloats(document.weights, countWeights(shape))
  if (E.isLeft(weights)) return E.left(`weights: ${weights.left}`)
  return E.right({
    type,
    questionsSha256,
    sha256,
    labels: labels.right,
    classes: classes.right,
    rows: numberOf(document.rows),
    from,
    strength,
    temperature,
    weights: weights.right,
  })
}

/** Decodes the labels of a question: the `labels` of a choice, the numbers below `levels` of a score, or no and yes. */
const decodeLabels = (
  type: OwnQuestion['type'],
  { labels = [], levels }: Decoded<typeof QuestionDocument>,
): E.Either<string, ReadonlyArray<string>> => {
  switch (type) {
    case 'noul':
      return E.right(['no', 'yes'])
    case 'choice':
      if (labels.length < 2 || labels.length > maxLabels)
        return E.left(`labels: must be 2 to ${maxLabels} labels`)
      return new Set(labels).size === labels.length
        ? E.right(labels)
        : E.left('labels: one occurs twice')
    case 'score': {
      const count = levels === undefined ? 0 : numberOf(levels)
      return count >= 2 && count <= maxLevels
        ? E.right(Array.from({ length: count }, (_, level) => String(level)))
        : E.left(`levels: must be from 2 to ${maxLevels}`)
    }
  }
}

/** Returns the indexes of the labels that have weights: all that are not in `left_out`. */
const decodeClasses = (
  labels: ReadonlyArray<string>,
  leftOut: ReadonlyArray<string>,
): E.Either<string, ReadonlyArray<number>> => {
  const unknown = leftOut.find((label) => !labels.includes(label))
  if (unknown !== undefined) return E.left(`left_out: ${JSON.stringify(unknown)} is no label`)
  const classes = [...labels.keys()].filter((index) => !leftOut.includes(labels[index] as string))
  return classes.length >= 2 ? E.right(classes) : E.left('left_out: two labels must be left')
}
