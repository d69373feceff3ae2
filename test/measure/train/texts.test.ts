import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createFoldUnits } from '../../../lib/measure/train/fold-units'
import { countTerms, readTerms } from '../../../lib/measure/train/terms'
import { TextStore } from '../../../lib/measure/train/text-store'

const test = suite('the features of texts')

const createText = (text: string) => ({ words: text.split(' '), vector: Float32Array.of(1, 0) })

const texts = ['my card was charged twice', 'my card was lost', 'charged twice and twice again']

const createFeatures = (maxTerms = 100) => {
  const store = new TextStore()
  return store.finish(
    texts.map((text) => store.store(createText(text))),
    maxTerms,
  )
}

test('the terms of a text are its words and pairs of neighbors', () => {
  assert.equal(
    [...countTerms(['so', 'so', 'so', 'good'])],
    [
      ['so', 3],
      ['so so', 2],
      ['good', 1],
      ['so good', 1],
    ],
  )
})

test('terms come from the first 1,000 words', () => {
  const words = Array.from({ length: 1_500 }, (_, i) => `w${i}`)
  assert.is(countTerms(words).size, 1_000 + 999)
})

test('the vocabulary has the terms of at least two rows, the most frequent first', () => {
  assert.equal(createFeatures().vocabulary.terms, [
    'my',
    'card',
    'my card',
    'was',
    'card was',
    'charged',
    'twice',
    'charged twice',
  ])
  assert.equal(createFeatures(2).vocabulary.terms, ['my', 'card'])
})

test('a text has the same features in an answer as in training', () => {
  const { features, vocabulary } = createFeatures()
  const { starts, terms, weights } = features
  for (const [row, text] of texts.entries()) {
    const known = readTerms(text.split(' '), vocabulary)
    assert.equal(known.terms, terms.slice(starts[row], starts[row + 1]))
    assert.equal(known.weights, weights.slice(starts[row], starts[row + 1]))
  }
})

test('the terms of a text together have the length 1, and a rarer term weighs more', () => {
  const { vocabulary } = createFeatures()
  const { weights } = readTerms(texts[2]?.split(' ') ?? [], vocabulary)
  assert.ok(Math.abs(weights.reduce((sum, x) => sum + x * x, 0) - 1) < 1e-6)
  assert.equal(readTerms(['unknown'], vocabulary).weights, new Float32Array())
})

test('rows of one group or with equal states are one unit, also through a third row', () => {
  const units = createFoldUnits([
    { group: 'a', stateSha256: '1' },
    { group: 'b', stateSha256: '2' },
    { group: undefined, stateSha256: '3' },
    { group: 'a', stateSha256: '2' },
    { group: undefined, stateSha256: undefined },
  ])
  assert.is(units.count, 3)
  assert.equal([...Array.from(units.unitOfRow)], [0, 0, 1, 0, 2])
})

test.run()
