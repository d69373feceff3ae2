import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { compareCodePoints } from '../../codec/fault'
import { checkImageLimits, decodeImages, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import { type Failure, validation } from '../../failure/failure'
import type { ModelRequest } from './dialect'

/** The text of a content that may be absent: a string as it is, and any other value as JSON text. */
export const contentTextIn = (content: JsonValue | undefined): string | undefined =>
  content === undefined ? undefined : plainText(content)

/** How a dialect writes the questions, and a state with images. */
interface DocumentWriter {
  readonly createReviewQuestions: (questions: ModelRequest['request']['questions']) => Draft
  /** Writes the text of a state, and each image with its name before it. */
  readonly writeImages: (state: string, images: ReadonlyArray<RequestImage>) => Draft
}

/**
 * Writes the document of a dialect in which the state is `input`: one text, or parts if there are images. The top-level
 * members that svc does not know are forwarded unchanged. Fails with a validation error if the dialect cannot say
 * something.
 */
export const encodeDocument = (
  asked: ModelRequest,
  { createReviewQuestions, writeImages }: DocumentWriter,
): E.Either<Failure, Draft> =>
  pipe(
    checkSayable(asked),
    E.chain(() => decodeImages(asked.request.extra)),
    E.chainFirst(checkImageLimits),
    E.map((images) => {
      const { state, questions, extra } = asked.request
      const text = plainText(state)
      return new Map<string, Draft>([
        ['model', asked.model],
        ['input', images.length === 0 ? text : writeImages(text, images)],
        ['questions', createReviewQuestions(questions)],
        ...[...extra].filter(([name]) => name !== 'assets'),
      ])
    }),
  )

/**
 * Checks that a request can be said in a dialect whose questions must have instructions, whose choices need two
 * labels, and which knows three types. Fails with a validation error for the first fault, questions in
 * the order of their ids.
 */
const checkSayable = ({ request, service }: ModelRequest): E.Either<Failure, void> => {
  const faults = request.questions
    .map(([id, question]) => ({ id, fault: findFault(question) }))
    .sort((a, b) => compareCodePoints(a.id, b.id))
  for (const { id, fault } of faults)
    if (fault !== undefined)
      return E.left(validation(`questions.${id}${fault.place}`, `${service} ${fault.cause}`))
  const hasInput = request.extra.has('input')
  return hasInput
    ? E.left(validation('input', `${service} has its own field of this name`))
    : E.right(undefined)
}

/** Why a question cannot be said, and where in the question. */
interface Unsayable {
  readonly place: string
  readonly cause: string
}

const findFault = (question: RequestQuestion): Unsayable | undefined => {
  if (question.type === 'other') return { place: '.type', cause: 'does not know this type' }
  if (question.instructions === undefined)
    return { place: '.instructions', cause: 'needs instructions' }
  return question.type === 'choice' && (question.criteria ?? []).length < 2
    ? { place: '.criteria', cause: 'needs at least two labels' }
    : undefined
}
