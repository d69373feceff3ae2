import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../lib/codec/json/draft'
import { classify } from '../../lib/failure/classify'
import { decodeAskArguments, decodeBatchArguments } from '../../lib/mcp/arguments'
import { jsonDocument } from '../codec/json/json-documents'
import * as fc from '../support/fast-check'

const test = suite('mcp/arguments')

test('any arguments are taken or refused as usage or validation failures', () => {
  const questions = fc.oneof(
    jsonDocument.map(({ printed }) => printed),
    jsonDocument.map(({ printed }) => `[{"id":"q","type":"noul","criteria":${printed}}]`),
    jsonDocument.map(({ printed }) => `[{"id":"q","type":"choice","labels":[${printed},"x"]}]`),
    jsonDocument.map(({ printed }) => `[{"id":"q","type":"score","levels":${printed}}]`),
  )
  fc.assert(
    fc.property(questions, jsonDocument, (asked, { printed }) => {
      const ask = JSON.parse(`{"state":${printed},"questions":${asked}}`)
      const batch = JSON.parse(`{"rows":[{"state":${printed}}],"questions":${asked}}`)
      for (const outcome of [decodeAskArguments(ask), decodeBatchArguments(batch)])
        if (E.isLeft(outcome))
          assert.ok(['usage', 'validation'].includes(classify(outcome.left).kind))
      const taken = decodeAskArguments(ask)
      if (E.isRight(taken))
        assert.is(encodeText(taken.right.state), JSON.stringify(JSON.parse(printed)))
    }),
    { numRuns: 1000 },
  )
})

test('refuses arguments that are nested too deeply', () => {
  let state: unknown = 1
  for (let level = 0; level < 100_000; level += 1) state = [state]
  const outcome = decodeAskArguments({ state, questions: [] })
  assert.is(E.isLeft(outcome) && classify(outcome.left).kind, 'usage')
})

test.run()
