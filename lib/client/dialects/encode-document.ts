import * as E from 'fp-ts/Either'
import { compareCodePoints } from '../../codec/fault'
import { checkImageLimits, decodeImages, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import { type Failure, validation } from '../../failure/failure'
import type { ModelRequest } from './dialect'
import { listModelMember } from './service-form'

/** Formats instructions or criteria as text: a string as it is, any other value as JSON. */
export const formatContent = (content: JsonValue | undefined): string | undefined =>
  content === undefined ? undefined : plainText(content)

/** Encodes the parts of a document that differ between dialects. */
interface DocumentEncoder {
  readonly encodeQuestions: (questions: ModelRequest['request']['questions']) => Draft
  /** The name of each image must come before the image. */
  readonly encodeStateWithImages: (stateText: string, images: ReadonlyArray<RequestImage>) => Draft
}

/**
 * Encodes the request document of a dialect that has the state and the images in `input`. Unknown fields of the request are
 * forwarded unchanged. Fails with a validation error if the dialect does not support the request.
 */
export const encodeDocument = (
  { request, model, service, form }: ModelRequest,
  { encodeQuestions, encodeStateWithImages }: DocumentEncoder,
): E.Either<Failure, Draft> => {
  const fault = findFirstUnsupportedField(request.questions)
  if (fault !== undefined) return E.left(validation(fault.field, `${service} ${fault.cause}`))
  if (request.extra.has('input'))
    return E.left(validation('input', `${service} uses this field for the state`))
  const images = decodeImages(request.extra)
  if (E.isLeft(images)) return images
  const checked = checkImageLimits(images.right)
  if (E.isLeft(checked)) return checked
  const stateText = plainText(request.state)
  const hasImages = images.right.length > 0
  return E.right(
    new Map<string, Draft>([
      ...listModelMember(form, model),
      ['input', hasImages ? encodeStateWithImages(stateText, images.right) : stateText],
      ['questions', encodeQuestions(request.questions)],
      ...[...request.extra].filter(([name]) => name !== 'assets'),
    ]),
  )
}

/** A field of the request that a dialect does not support, and the reason. */
interface UnsupportedField {
  readonly field: string
  readonly cause: string
}

/** Finds the first unsupported field of the questions, in the order of their ids. `field` of the result is its path. */
const findFirstUnsupportedField = (
  questions: ModelRequest['request']['questions'],
): UnsupportedField | undefined => {
  const sorted = [...questions].sort(([a], [b]) => compareCodePoints(a, b))
  for (const [id, question] of sorted) {
    const fault = checkQuestion(question)
    if (fault !== undefined) return { ...fault, field: `questions.${id}.${fault.field}` }
  }
  return undefined
}

/** Returns the unsupported field of a question, without the path of the question. */
const checkQuestion = (question: RequestQuestion): UnsupportedField | undefined => {
  if (question.type === 'other') return { field: 'type', cause: 'does not support this type' }
  if (question.instructions === undefined)
    return { field: 'instructions', cause: 'needs instructions' }
  return question.type === 'choice' && (question.criteria ?? []).length < 2
    ? { field: 'criteria', cause: 'needs at least two labels' }
    : undefined
}
