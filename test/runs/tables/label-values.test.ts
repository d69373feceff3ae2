import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type LabelRange, readLabel } from '../../../lib/runs/tables/label-values'
import { parseValue } from '../record/records'

const test = suite('runs/tables/label-values')

/** A yes/no question. */
const noul: LabelRange = { type: 'noul' }
const choice: LabelRange = { type: 'choice', labels: ['calm', 'très bon', '2'], isComplete: true }
const score: LabelRange = { type: 'score', levelCount: 3 }

/** Reads the label in a JSON value. Returns the label, or the message of a fault. */
const read = (json: string, range: LabelRange) =>
  E.toUnion(readLabel(parseValue(json), { field: 'f', questionId: 'q', range }))

const readText = (text: string, range: LabelRange) => read(JSON.stringify(text), range)

test('reads yes and no in the words of spreadsheets in four languages, in any letter case', () => {
  for (const word of [
    'WAHR',
    'ja',
    'Oui',
    'VERDADERO',
    'sí',
    'SI\u0301',
    'si',
    'vrai',
    'Y',
    'TRUE',
  ])
    assert.is(readText(word, noul), true, word)
  for (const word of ['FALSCH', 'nein', 'non', 'FAUX', 'falso', 'n', 'No', 'false'])
    assert.is(readText(word, noul), false, word)
})

test('reads numbers, also those that pandas writes with decimals', () => {
  for (const json of ['1', '1.0', '"1.00"', '"1"']) assert.is(read(json, noul), true, json)
  for (const json of ['0', '0.0', '"0.0"']) assert.is(read(json, noul), false, json)
  for (const json of ['2', '2.0', '"2.0"']) assert.is(read(json, score), 2, json)
})

test('reads a number as the label of a choice without its decimals, unless they are a part of the label', () => {
  assert.is(readText('2.0', choice), '2')
  assert.is(readText('2.0', { type: 'choice', labels: ['2', '2.0'], isComplete: true }), '2.0')
})

test('takes blanks off a label', () => {
  assert.is(readText(' No\u00a0', noul), false)
  assert.is(readText('calm ', choice), 'calm')
  assert.is(readText('\t1', score), 1)
})

test('compares labels in NFC, and returns the spelling of the question', () => {
  const decomposed = 'tre\u0300s bon'
  assert.is(readText(decomposed, choice), 'très bon')
  const range: LabelRange = { type: 'choice', labels: [decomposed], isComplete: true }
  assert.is(readText('très bon', range), decomposed)
})

test('takes a missing value, null, an empty text and blanks as no label', () => {
  assert.is(
    E.toUnion(readLabel(undefined, { field: 'f', questionId: 'q', range: noul })),
    undefined,
  )
  for (const json of ['null', '""', '"  "']) assert.is(read(json, choice), undefined)
})

test('names a value that is no label, what the question takes, and the nearest label', () => {
  const faults: ReadonlyArray<readonly [json: string, range: LabelRange, message: string]> = [
    [
      '"yess"',
      noul,
      '"yess", which is not a label of "q": it takes true, false, yes, no, 1 or 0; did you mean "yes"?',
    ],
    ['2', noul, '"2", which is not a label of "q": it takes true, false, yes, no, 1 or 0'],
    [
      '"Calm"',
      choice,
      '"Calm", which is not a label of "q": it takes "calm", "très bon", "2"; did you mean "calm"?',
    ],
    ['3', score, '"3", which is not a label of "q": it takes 0 to 2'],
    ['"1.5"', score, '"1.5", which is not a label of "q": it takes 0 to 2'],
    [
      '[]',
      noul,
      'an object or array, which is not a label of "q": it takes true, false, yes, no, 1 or 0',
    ],
  ]
  for (const [json, range, message] of faults)
    assert.is(read(json, range), `the field "f" is ${message}`)
})

test('takes any other text as a label if only some labels are known', () => {
  const range: LabelRange = { type: 'choice', labels: ['calm'], isComplete: false }
  assert.is(readText(' angry ', range), 'angry')
  assert.is(readText('calm ', range), 'calm')
})

test.run()
