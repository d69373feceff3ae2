import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Draft, encode } from '../../lib/codec/json/draft'
import { parseText } from '../../lib/codec/json/parse'
import { decodeModelList, encodeModels } from '../../lib/codec/models'
import { checkRequest, decodeRequest, encodeRequest } from '../../lib/codec/request'
import { decodeAndCheck } from '../../lib/codec/request-faults'
import { decodeResponse, encodeResponse } from '../../lib/codec/response'
import { decodeErrorMessage } from '../../lib/codec/service-errors'
import type { Failure } from '../../lib/failure/failure'
import { messageOf } from '../../lib/failure/message'
import { createRedact } from '../../lib/failure/text/redact'
import * as fc from '../support/fast-check'
import { documents } from './json/documents'

/** Documents that pass through svc keep the text of numbers, the order of keys, and every key. */
const test = suite('codec/fidelity')
const noSecrets = createRedact([])

const written = <A>(value: E.Either<Failure, A>, toDraft: (value: A) => Draft): string =>
  E.isRight(value) ? encode(toDraft(value.right)).toString() : messageOf(value.left)

const printed = documents.map((document) => document.text)
const spaced = documents.map((document) => document.spaced)

test('requests', () => {
  fc.assert(
    fc.property(printed, printed, printed, (state, content, extra) => {
      const questions = [
        `"10":{"type":"noul","instructions":[${content}],"criteria":{"false":{"x":${content}}}}`,
        `"__proto__":{"type":"choice","criteria":{"b":null,"1":[${content}]}}`,
        `"2":{"type":"score","criteria":[[${content}],{"y":${extra}}]}`,
        `"":{"type":"rank","of":${content}}`,
      ].join(',')
      const rest = `"state":${state},"questions":{${questions}},"__proto__":${extra},"1":${state}`
      const request = decodeRequest(Buffer.from(`{${rest}}`))
      const body = written(request, (value) => encodeRequest(value, 'm'))
      assert.is(body, `{"model":"m",${rest}}`)
    }),
  )
})

test('responses', () => {
  fc.assert(
    fc.property(printed, printed, (one, two) => {
      const answers = [
        `"10":{"type":"noul","noul":1.0,"extra":${one}}`,
        `"2":{"type":"rank","of":${two}}`,
        `"__proto__":{"type":"score","score":1.50,"confidence":1E0,"legend":{"1":${one},"0":${two}},"probabilities":{"0":0.0}}`,
      ].join(',')
      const body = `{"model":"m","answers":{${answers}},"usage":{"input_tokens":10,"output_tokens":null}}`
      assert.is(written(decodeResponse(Buffer.from(body), ''), encodeResponse), body)
    }),
  )
})

test('model lists', () => {
  fc.assert(
    fc.property(printed, printed, (one, two) => {
      const body = `{"models":[${one},${two}]}`
      assert.is(written(decodeModelList(Buffer.from(body), ''), encodeModels), body)
    }),
  )
})

/** Documents that are nearly requests or responses, each member of any kind. */
const nearly = fc
  .dictionary(
    fc.constantFrom('state', 'questions', 'answers', 'model', 'models', 'usage', 'detail', 'error'),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(
        fc.constantFrom('q', '', '__proto__', 'input_tokens', 'message'),
        fc.dictionary(
          fc.constantFrom('type', 'criteria', 'instructions', 'noul', 'score', 'confidence', 'x'),
          fc.oneof(
            fc.constantFrom('noul', 'choice', 'score', 'other', ''),
            fc.jsonValue({ maxDepth: 2 }),
          ),
        ),
      ),
    ),
  )
  .map((value) => JSON.stringify(value))

test('decodes any document or refuses it with a message', () => {
  fc.assert(
    fc.property(fc.oneof(nearly, spaced), (text) => {
      const bytes = Buffer.from(text)
      const request = decodeRequest(bytes)
      if (E.isLeft(request)) assert.match(messageOf(request.left), /^invalid request/)
      const sendable = E.isRight(request) && E.isRight(checkRequest(request.right))
      const document = parseText(text)
      assert.is(E.isRight(document) && E.isRight(decodeAndCheck(document.right)), sendable)
      for (const response of [decodeResponse(bytes, ''), decodeModelList(bytes, '')])
        if (E.isLeft(response))
          assert.match(messageOf(response.left), /^typesafe: invalid response field "[^\n]*": /)
      assert.type(decodeErrorMessage(bytes, noSecrets), 'string')
    }),
    { numRuns: 500 * fc.scale },
  )
})

test.run()
