import * as E from 'fp-ts/Either'
import { type Json, kindOf, member, stringOf } from '../json/json'
import { parseJson } from '../json/parse'

/** The request id: that of the header, else the string `request_id` in the body, else `''`. D4 */
export const requestIdOf = (header: string, inBody: Json | undefined): string => {
  if (header !== '') return header
  return inBody !== undefined && kindOf(inBody) === 'string' ? stringOf(inBody) : ''
}

/** The request id, for a body that need not be JSON, such as that of a failure. D4 */
export const requestIdOfBody = (header: string, body: Uint8Array): string => {
  if (header !== '') return header
  const document = parseJson(body)
  return E.isRight(document) && kindOf(document.right) === 'object'
    ? requestIdOf('', member(document.right, 'request_id'))
    : ''
}
