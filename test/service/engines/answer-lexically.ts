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
  const texts = readTexts({ state: toJson(state), questions: [['q', question]] })
  assert.ok(E.isRight(texts))
  const [questionTexts] = texts.right.questions
  assert.ok(questionTexts)
  const distribution = answerByWords(questionTexts, texts.right.state)
  return distribution.type === 'noul'
    ? [1 - distribution.yes, distribution.yes]
    : distribution.probabilities
}
