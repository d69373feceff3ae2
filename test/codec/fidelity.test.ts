import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Draft, encode } from '../../lib/codec/json/draft'
import { parseText } from '../../lib/codec/json/parse'
import { checkRequest, decodeRequest, encodeRequest } from '../../lib/codec/request'
import { decodeAndCheckRequest } from '../../lib/codec/request-faults'
import {
  decodeModelList,
  decodeResponse,
  encodeModels,
  encodeResponse,
} from '../../lib/codec/response'
import { decodeErrorMessage } from '../../lib/codec/service-errors'
import type { Failure } from '../../lib/failure/failure'
import { messageOf } from '../../lib/failure/report'
import { createRedact } from '../../lib/text/secret'
import * as fc from '../support/fast-check'
import { jsonDocument } from './json/json-documents'

/** Fidelity: svc passes on unchanged whatever it need not change. */
const test = suite('codec/fidelity')
const noSecrets = createRedact([])
/** The request id in the headers of a response that has none. */
const noRequestId = ''

/** JSON texts without whitespace, as svc prints them. */
const printedJson = jsonDocument.map(({ printed }) => printed)
/** JSON texts with whitespace between the tokens. */
const spacedJson = jsonDocument.map(({ spaced }) => spaced)

/** Encodes a decoded document. Returns the message of the failure if it was refused. */
const encodeOrDescribe = <A>(
  decoded: E.Either<Failure, A>,
  toDraft: (value: A) => Draft,
): string =>
  E.isRight(decoded) ? encode(toDraft(decoded.right)).toString() : messageOf(decoded.left)

// If svc used plain objects, these two tests would fail: such objects move ids such as `10` to the front, and lose `__proto__`. svc does
// not know the type `rank`.

test('a decoded request is encoded with its number texts, key order and unknown members', () => {
  fc.assert(
    fc.property(printedJson, printedJson, printedJson, (state, content, extra) => {
      const questions = [
        `"10":{"type":"noul","instructions":[${content}],"criteria":{"false":{"x":${content}}}}`,
        `"__proto__":{"type":"choice","criteria":{"b":null,"1":[${content}]}}`,
        `"2":{"type":"score","criteria":[[${content}],{"y":${extra}}]}`,
        `"":{"type":"rank","of":${content}}`,
      ].join(',')
      const members = `"state":${state},"questions":{${questions}},"__proto__":${extra},"1":${state}`
      const request = decodeRequest(Buffer.from(`{${members}}`))
      const body = encodeOrDescribe(request, (value) => encodeRequest(value, [['model', 'm']]))
      assert.is(body, `{"model":"m",${members}}`)
    }),
  )
})

test('a decoded response is encoded with its number texts, key order and unknown answers', () => {
  fc.assert(
    fc.property(printedJson, printedJson, (first, second) => {
      const legend = `{"1":${first},"0":${second}}`
      const answers = [
        `"10":{"type":"noul","noul":1.0,"extra":${first}}`,
        `"2":{"type":"rank","of":${second}}`,
        `"__proto__":{"type":"score","score":1.50,"confidence":1E0,"legend":${legend},"probabilities":{"0":0.0}}`,
      ].join(',')
      const usage = '{"input_tokens":10,"output_tokens":null}'
      const body = `{"model":"m","answers":{${answers}},"usage":${usage}}`
      const response = decodeResponse(Buffer.from(body), noRequestId)
      assert.is(encodeOrDescribe(response, encodeResponse), body)
    }),
  )
})

test('a decoded list of models is encoded unchanged', () => {
  fc.assert(
    fc.property(printedJson, printedJson, (first, second) => {
      const body = `{"models":[${first},${second}]}`
      const models = decodeModelList(Buffer.from(body), noRequestId)
      assert.is(encodeOrDescribe(models, encodeModels), body)
    }),
  )
})

/** Generates objects with the member names of questions and answers. The values have any type. */
const questionOrAnswer = fc.dictionary(
  fc.constantFrom('type', 'criteria', 'instructions', 'noul', 'score', 'confidence', 'x'),
  fc.oneof(fc.constantFrom('noul', 'choice', 'score', 'other', ''), fc.jsonValue({ maxDepth: 2 })),
)

/** Generates objects with the member names of requests and responses. The values have any type. */
const nearlyValidDocument = fc
  .dictionary(
    fc.constantFrom('state', 'questions', 'answers', 'model', 'models', 'usage', 'detail', 'error'),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(
        fc.constantFrom('q', '', '__proto__', 'input_tokens', 'message'),
        questionOrAnswer,
      ),
    ),
  )
  .map((value) => JSON.stringify(value))

test('decodes any document or refuses it with a message', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyValidDocument, spacedJson), (text) => {
      const bytes = Buffer.from(text)
      const request = decodeRequest(bytes)
      if (E.isLeft(request)) assert.match(messageOf(request.left), /^invalid request/)
      for (const response of [
        decodeResponse(bytes, noRequestId),
        decodeModelList(bytes, noRequestId),
      ])
        if (E.isLeft(response))
          assert.match(messageOf(response.left), /^typesafe: invalid response field "[^\n]*": /)
      assert.type(decodeErrorMessage(bytes, noSecrets), 'string')
    }),
    { numRuns: 500 * fc.inputFactor },
  )
})

test('decodeAndCheckRequest accepts the requests that decodeRequest and checkRequest accept', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyValidDocument, spacedJson), (text) => {
      const request = decodeRequest(Buffer.from(text))
      const isValid = E.isRight(request) && E.isRight(checkRequest(request.right))
      const document = parseText(text)
      assert.is(E.isRight(document) && E.isRight(decodeAndCheckRequest(document.right)), isValid)
    }),
    { numRuns: 500 * fc.inputFactor },
  )
})

test.run()
