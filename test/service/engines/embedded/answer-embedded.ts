import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { type Draft, toJson } from '../../../../lib/codec/json/draft'
import type { EngineQuestion } from '../../../../lib/service/contract/engine'
import {
  answerInSteps,
  readRequestTexts,
} from '../../../../lib/service/engines/embedded/answer-in-steps'
import type { VectorTable } from '../../../../lib/service/engines/embedded/vector-table'

/**
 * Answers a question with the embedded engine. Returns the probabilities of its options. For a yes/no question (`noul`), the options
 * are no and yes, in this order.
 */
export const answerEmbedded = (
  state: Draft,
  question: EngineQuestion,
  table: VectorTable,
): ReadonlyArray<number> => {
  const texts = readRequestTexts({ state: toJson(state), questions: [['q', question]] })
  assert.ok(E.isRight(texts))
  const steps = answerInSteps(texts.right, table)
  for (;;) {
    const step = steps.next()
    if (!step.done) continue
    const [distribution] = step.value
    assert.ok(distribution)
    return distribution.type === 'noul'
      ? [1 - distribution.yes, distribution.yes]
      : distribution.probabilities
  }
}
