import * as E from 'fp-ts/Either'
import { compareCodePoints } from '../codec/fault'
import type { Question } from '../codec/question'
import { type Failure, validation } from '../failure/failure'
import { type Draft, toJson } from '../json/draft'
import { type Json, kindOf, stringOf, textOf } from '../json/json'
import type { Asked } from './dialect'

/** A content as a JSON string: a string as it is written, anything else as its JSON text. P7, D7 */
export const contentText = (content: Json): Json =>
  kindOf(content) === 'string' ? content : toJson(textOf(content))

/** A content as a text: that of a string, or the JSON text of anything else. P7 */
export const readContent = (content: Json): string =>
  kindOf(content) === 'string' ? stringOf(content) : textOf(content)

/**
 * Checks that a request can be said in a dialect whose questions must have instructions, whose choices need two
 * labels, and which knows three types and no assets. `reserved` are the members that the dialect itself writes.
 * Fails with a validation error for the first fault, questions in the order of their ids. P7, D14
 */
export const checkSayable = (
  { request, service }: Asked,
  reserved: ReadonlyArray<string>,
): E.Either<Failure, void> => {
  const faults = request.questions
    .map(([id, question]) => ({ id, fault: findFault(question) }))
    .sort((a, b) => compareCodePoints(a.id, b.id))
  for (const { id, fault } of faults)
    if (fault !== undefined)
      return E.left(validation(`questions.${id}${fault.place}`, `${service} ${fault.cause}`))
  const extra = request.extra.find(({ key }) => key === 'assets' || reserved.includes(key))
  if (extra === undefined) return E.right(undefined)
  const cause = extra.key === 'assets' ? 'takes no assets' : 'has its own field of this name'
  return E.left(validation(extra.key, `${service} ${cause}`))
}

/** Why a question cannot be said, and where in the question. */
interface Unsayable {
  readonly place: string
  readonly cause: string
}

const findFault = (question: Question): Unsayable | undefined => {
  if (question.type === 'other') return { place: '.type', cause: 'does not know this type' }
  if (question.instructions === undefined)
    return { place: '.instructions', cause: 'needs instructions' }
  return question.type === 'choice' && (question.criteria ?? []).length < 2
    ? { place: '.criteria', cause: 'needs at least two labels' }
    : undefined
}

/** The top-level members of a request that svc forwards unchanged. */
export const extraMembers = ({ extra }: Asked['request']): ReadonlyArray<readonly [Json, Draft]> =>
  extra.map(({ name, value }) => [name, value] as const)
