import * as E from 'fp-ts/Either'
import { type Json, kindOf, member, stringOf } from '../json/json'
import { parseJson } from '../json/parse'

/** The request id of the header, else the text in the body's `request_id`, else the empty text. D4 */
export const requestIdOf = (header: string, inBody: Json | undefined): string => {
  if (header !== '') return header
  return inBody !== undefined && kindOf(inBody) === 'string' ? stringOf(inBody) : ''
}

/** The same for a body that may be no JSON, such as the body of a failure. D4 */
export const requestIdOfBody = (header: string, body: Uint8Array): string => {
  if (header !== '') return header
  const document = parseJson(body)
  return E.isRight(document) && kindOf(document.right) === 'object'
    ? requestIdOf('', member(document.right, 'request_id'))
    : ''
}
