import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { type Draft, toJson } from '../../../lib/codec/json/draft'
import type { EngineQuestion } from '../../../lib/service/contract/engine'
import { answerByWords } from '../../../lib/service/engines/lexical/answer-by-words'
import { readTexts } from '../../../lib/service/engines/lexical/engine'

/**
 * Answers a question with the lexical engine. Returns the probabilities of its options. For a yes/no question (`noul`), the options
 * are no and yes, in this order.
 */
export const answerLexically = (state: Draft, question: EngineQuestion): ReadonlyArray<number> => {
  const requestTexts = readTexts({ state: toJson(state), questions: [['q', question]] })
  assert.ok(E.isRight(requestTexts))
  const [texts] = requestTexts.right.questions
  assert.ok(texts)
  const distribution = answerByWords(texts, requestTexts.right.state)
  return distribution.type === 'noul'
    ? [1 - distribution.yes, distribution.yes]
    : distribution.probabilities
}
