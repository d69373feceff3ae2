import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { geminiDialect } from '../../../lib/client/dialects/gemini'
import { dialectForm } from '../../../lib/client/dialects/service-form'
import { encodeText } from '../../../lib/codec/json/draft'

const test = suite('dialects/gemini')

test('sends both criteria of a yes/no question if one of them is an empty text', () => {
  const question = { type: 'noul', instructions: 'Q?', criteria: { true: '', false: 'x' } } as const
  const request = { state: 's', questions: [['q', question]] as const, extra: new Map() }
  const encoded = geminiDialect.encodeRequest({
    request,
    model: 'm',
    service: 'gemini',
    form: dialectForm,
  })
  if (E.isLeft(encoded)) throw new Error(JSON.stringify(encoded.left))
  assert.match(
    encodeText(encoded.right),
    '"criteria":{"true_description":"","false_description":"x"}',
  )
})

test.run()
