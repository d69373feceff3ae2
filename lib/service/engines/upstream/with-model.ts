import * as E from 'fp-ts/Either'
import { Entries, encode } from '../../../json/draft'
import { kindOf, membersOf, stringOf } from '../../../json/json'
import { parseJson } from '../../../json/parse'
import type { EngineContext } from '../../contract/engine'
import { isAlias } from '../../contract/models'
import type { Problem } from '../../contract/problem'

/** Sets the model of a document as `withModel` does, on whichever thread. Fails where the work is cut short. */
export type SetModel = (
  body: Uint8Array,
  model: string,
  context: EngineContext,
) => Promise<E.Either<Problem, Uint8Array>>

/**
 * Sets the model of a request document that names none, or names an alias (D73). Everything else keeps its
 * text. What is not a JSON object is returned unchanged, for the upstream service to refuse. D7
 */
export const withModel = (body: Uint8Array, model: string): Uint8Array => {
  const document = parseJson(body)
  if (E.isLeft(document) || kindOf(document.right) !== 'object') return body
  const list = membersOf(document.right)
  const given = list.find(({ key }) => key === 'model')?.value
  const named = given !== undefined && !(kindOf(given) === 'string' && isAlias(stringOf(given)))
  if (named) return body
  const rest = list.filter(({ key }) => key !== 'model').map((m) => [m.name, m.value] as const)
  return encode(new Entries([['model', model], ...rest]))
}
