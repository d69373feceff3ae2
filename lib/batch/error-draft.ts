import { errorOf } from '../failure/envelope'
import type { Failure } from '../failure/failure'
import type { Draft } from '../json/draft'
import { shownText } from '../json/shown'

/** The `error` of a record: the object of an error envelope. R1, D59 */
export const errorDraft = (failure: Failure): Draft => {
  const { message, request_id, ...rest } = errorOf(failure)
  return {
    ...rest,
    request_id: request_id === undefined ? undefined : shownText(request_id),
    message: shownText(message),
  }
}
