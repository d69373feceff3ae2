import * as E from 'fp-ts/Either'
import { field, stringIn } from '../json/field'
import type { Json } from '../json/json'
import { parseJson } from '../json/parse'

/** The request id: that of the header, else the string `request_id` in the body, else `''`. D4 */
export const requestIdOf = (header: string, inBody: Json | undefined): string =>
  header || (stringIn(inBody) ?? '')

/** The request id, for a body that need not be JSON, such as that of a failure. D4 */
export const requestIdOfBody = (header: string, body: Uint8Array): string => {
  if (header !== '') return header
  const document = parseJson(body)
  return E.isRight(document) ? requestIdOf('', field(document.right, 'request_id')) : ''
}
