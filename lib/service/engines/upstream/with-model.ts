import * as E from 'fp-ts/Either'
import { Entries, encode } from '../../../json/draft'
import { kindOf, membersOf, stringOf } from '../../../json/json'
import { parseJson } from '../../../json/parse'
import { isAlias } from '../../contract/engine'

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
