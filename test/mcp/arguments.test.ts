import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../lib/codec/json/draft'
import type { Failure } from '../../lib/failure/failure'
import { classify } from '../../lib/failure/report'
import { decodeAskArguments, decodeBatchArguments } from '../../lib/mcp/arguments'
import { jsonDocument } from '../codec/json/json-documents'
import * as fc from '../support/fast-check'

const test = suite('mcp/arguments')

/** Any JSON document as the questions, or as one field of a single question. A question of type `noul` is a yes/no question. */
const questionsTexts = fc.oneof(
  jsonDocument.map(({ printed }) => printed),
  jsonDocument.map(({ printed }) => `[{"id":"q","type":"noul","criteria":${printed}}]`),
  jsonDocument.map(({ printed }) => `[{"id":"q","type":"choice","labels":[${printed},"x"]}]`),
  jsonDocument.map(({ printed }) => `[{"id":"q","type":"score","levels":${printed}}]`),
)

test('never throws, and refuses invalid arguments with a usage or validation failure', () => {
  const checkFailure = (decoded: E.Either<Failure, unknown>) => {
    if (E.isRight(decoded)) return
    assert.ok(['usage', 'validation'].includes(classify(decoded.left).kind))
  }
  fc.assert(
    fc.property(questionsTexts, jsonDocument, (questionsText, { printed: state }) => {
      const askText = `{"state":${state},"questions":${questionsText}}`
      const batchText = `{"rows":[{"state":${state}}],"questions":${questionsText}}`
      checkFailure(decodeAskArguments(JSON.parse(askText)))
      checkFailure(decodeBatchArguments(JSON.parse(batchText)))
    }),
    { numRuns: 1000 },
  )
})

test('decodes any state unchanged', () => {
  fc.assert(
    fc.property(jsonDocument, ({ printed }) => {
      const state = JSON.parse(printed)
      const decoded = decodeAskArguments({ state, questions: [{ id: 'q', type: 'noul' }] })
      assert.ok(E.isRight(decoded))
      assert.is(encodeText(decoded.right.input), JSON.stringify(state))
    }),
    { numRuns: 1000 },
  )
})

test('refuses arguments that are nested too deeply', () => {
  // More levels than the recursion of `JSON.stringify` can take.
  let state: unknown = 1
  for (let level = 0; level < 100_000; level += 1) state = [state]
  const decoded = decodeAskArguments({ state, questions: [] })
  assert.ok(E.isLeft(decoded))
  assert.is(classify(decoded.left).kind, 'usage')
})

test.run()
