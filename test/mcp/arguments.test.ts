import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../lib/codec/json/draft'
import type { Failure } from '../../lib/failure/failure'
import { classify, messageOf } from '../../lib/failure/report'
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

/** Returns `true` if a value has a number that JSON cannot express. */
const hasInfinity = (value: unknown): boolean => {
  let isFound = false
  JSON.stringify(value, (_, member) => {
    if (Math.abs(member) === Number.POSITIVE_INFINITY) isFound = true
    return member
  })
  return isFound
}

test('decodes any state unchanged, unless a double cannot hold one of its numbers', () => {
  fc.assert(
    fc.property(jsonDocument, ({ printed }) => {
      const state = JSON.parse(printed)
      const decoded = decodeAskArguments({ state, questions: [{ id: 'q', type: 'noul' }] })
      assert.is(E.isLeft(decoded), hasInfinity(state))
      if (E.isLeft(decoded)) return
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

test('refuses a number that a double cannot hold, and names its place', () => {
  const questions = [{ id: 'q', type: 'noul' }]
  const cases = [
    { decode: decodeAskArguments, text: '{"state":{"a":[1,-1e400]}}', path: 'state.a[1]' },
    { decode: decodeBatchArguments, text: '{"rows":[{"state":1e400}]}', path: 'rows[0].state' },
  ] as const
  for (const { decode, text, path } of cases) {
    const decoded: E.Either<Failure, unknown> = decode({ ...JSON.parse(text), questions })
    assert.ok(E.isLeft(decoded))
    assert.is(
      messageOf(decoded.left),
      `invalid arguments: ${path}: must be a number that a double can hold`,
    )
  }
})

test.run()
