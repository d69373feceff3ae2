import type { RefusalMessage } from './protocol'

/** A refusal to which `AnswerWriter` adds the number of answers. */
export type LabelRefusal = Omit<RefusalMessage, 'answers'>

export const otherTabRefusal: LabelRefusal = {
  refusal: 'other tab',
  message: 'This table was opened in another tab, which goes on from here.',
}

export const fileChangedRefusal: LabelRefusal = {
  refusal: 'file changed',
  message: 'The table was changed by another program since svc read it. It was left as it is.',
}

export const refuseWriting = (reason: string): LabelRefusal => ({
  refusal: 'not written',
  message: `The table cannot be written: ${reason}.`,
})

export const refuseBadRequest = (message: string): LabelRefusal => ({
  refusal: 'bad request',
  message,
})
