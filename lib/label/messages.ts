import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import type { AnswerMessage } from './protocol'

const PageAnswerMessage = t.union(
  [
    t.type({ kind: t.literal('label'), value: t.string }),
    t.type({ kind: t.literal('skip') }),
    t.type({ kind: t.literal('cannot tell') }),
  ],
  'PageAnswer',
)

const AnswerBody: t.Type<AnswerMessage> = t.type(
  { tab: t.Integer, step: t.Integer, answer: PageAnswerMessage, note: t.string },
  'AnswerMessage',
)

const TabBody = t.type({ tab: t.Integer }, 'TabMessage')

/** Decodes the body of an answer; `undefined` if it is invalid. */
export const decodeAnswerMessage = (body: unknown): AnswerMessage | undefined => {
  const decoded = AnswerBody.decode(body)
  return E.isRight(decoded) ? decoded.right : undefined
}

/** Decodes the number of the tab; `undefined` if the body is invalid. */
export const decodeTab = (body: unknown): number | undefined => {
  const decoded = TabBody.decode(body)
  return E.isRight(decoded) ? decoded.right.tab : undefined
}
