import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode, toJson } from '../../lib/codec/json/draft'
import { completeModels } from '../../lib/service/dialects/complete-models'

const test = suite('service: lists of models for clients of every form')

/** Completes a list of models. Returns the date of its first model, in whole seconds since 1970. */
const readCreated = (releaseDate: string): unknown => {
  const models = toJson({ models: [{ name: 'm', release_date: releaseDate }] })
  return JSON.parse(String(Buffer.from(encode(completeModels(models))))).data[0].created
}

test('a date with a fraction of a second becomes whole seconds', () => {
  assert.is(readCreated('2026-01-01T00:00:00.700Z'), 1_767_225_600)
})

test('a text that is not a date becomes 0', () => {
  assert.is(readCreated('soon'), 0)
})

test.run()
