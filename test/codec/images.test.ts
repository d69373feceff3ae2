import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createAssets, decodeImages } from '../../lib/codec/images'
import { toObject } from '../../lib/codec/json/draft'

const test = suite('codec/images')

test('decodes the images that createAssets encodes', () => {
  const images = [{ name: 'photo', format: 'png', base64: 'AAAA' } as const]
  assert.equal(decodeImages(createAssets(images)), E.right(images))
})

// Every object inherits the members `constructor` and `__proto__`, also a table of formats.
for (const format of ['gif', 'constructor', '__proto__'])
  test(`refuses the format ${format}`, () => {
    const assets = { photo: { type: 'image', format, data_base64: 'AAAA' } }
    const decoded = decodeImages(toObject({ assets }))
    assert.ok(E.isLeft(decoded) && decoded.left._tag === 'Validation')
    assert.is(decoded.left.path, 'assets.photo')
    assert.is(decoded.left.cause, 'must have the format png, jpg, jpeg or webp')
  })

test.run()
