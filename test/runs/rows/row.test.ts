import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import { divideRow, noFields, type RowFields } from '../../../lib/runs/rows/row'
import { parseValue } from '../record/records'

const test = suite('runs/rows/row')

/** A yes/no question. */
const noul = { type: 'noul' } as const
const choice = {
  type: 'choice',
  criteria: [
    ['calm', null],
    ['1', null],
  ],
} as const
const score = { type: 'score', criteria: [parseValue('"a"'), parseValue('"b"')] } as const
/** The label fields of a yes/no question `n`, a choice `c` and a score `s` with two levels. */
const labelFields: RowFields['labelFields'] = [
  { questionId: 'n', question: noul, field: 'yes' },
  { questionId: 'c', question: choice, field: 'tone' },
  { questionId: 's', question: score, field: 'level' },
]
const idAndLabels: RowFields = { ...noFields, idField: 'id', labelFields }

/** Divides the JSON text of a row. Returns its parts as texts; a part that the row lacks is absent. */
const divideText = (row: string, fields = idAndLabels): Readonly<Record<string, string>> => {
  const { state, id, group, labels: rowLabels, fault } = divideRow(parseValue(row), fields)
  const texts: Record<string, string> = {}
  if (state !== undefined) texts.state = encodeText(state)
  if (id !== undefined) texts.id = encodeText(id)
  if (group !== undefined) texts.group = encodeText(group)
  if (rowLabels !== undefined)
    texts.labels = rowLabels.map(([name, label]) => `${name}=${encodeText(label)}`).join()
  if (fault !== undefined) texts.fault = fault
  return texts
}

test('reads the labels of a row, and removes them from the state, because svc must not send them', () => {
  // Of the two fields "yes", the last one counts.
  const row = '{"id": 1.0, "yes": true, "yes": "0", "tone": "calm", "level": 1, "text": "x"}'
  assert.equal(divideText(row), {
    state: '{"id":1.0,"text":"x"}',
    id: '1.0',
    labels: 'n=false,c="calm",s=1',
  })
})

test('ignores empty labels', () => {
  assert.equal(divideText('{"id":"a","yes":null,"tone":"","text":"x"}'), {
    state: '{"id":"a","text":"x"}',
    id: '"a"',
  })
})

test('reads a label from a number or a text', () => {
  assert.is(divideText('{"id":1,"tone":1,"level":"0"}').labels, 'c="1",s=0')
  assert.is(divideText('{"id":1,"level":"1.0"}').labels, 's=1')
})

/** The end of the message about an invalid label, by field. */
const expectedReasons = {
  yes: 'which is not a label of "n": it takes true, false, yes, no, 1 or 0',
  tone: 'which is not a label of "c": it takes "calm", "1"',
  level: 'which is not a label of "s": it takes 0 to 1',
}
const invalidLabels = [
  { field: 'yes', value: '"maybe"', shownValue: '"maybe"' },
  { field: 'yes', value: '2', shownValue: '"2"' },
  { field: 'yes', value: '[]', shownValue: 'an object or array' },
  { field: 'tone', value: '"angry"', shownValue: '"angry"' },
  { field: 'level', value: '2', shownValue: '"2"' },
  { field: 'level', value: '"1.5"', shownValue: '"1.5"' },
] as const
for (const { field, value, shownValue } of invalidLabels)
  test(`refuses the label ${value} in the field "${field}"`, () => {
    const { fault, state } = divideText(`{"id":1,"${field}":${value}}`)
    assert.is(fault, `the field "${field}" is ${shownValue}, ${expectedReasons[field]}`)
    assert.is(state, '{"id":1}')
  })

const allFields: RowFields = {
  stateField: 'text',
  idField: 'id',
  groupField: 'group',
  labelFields: [],
  imageFields: [],
}

test('takes the state, the id and the group from fields', () => {
  assert.equal(divideText('{"text":[1, 2],"id":null,"group":{}}', allFields), {
    state: '[1,2]',
    id: 'null',
    group: '{}',
  })
})

test('reports a missing field, and a row that is not an object', () => {
  assert.is(divideText('{"id":1,"group":1}', allFields).fault, 'the field "text" is missing')
  assert.is(divideText('{"text":1,"group":1}', allFields).fault, 'the field "id" is missing')
  assert.is(divideText('{"text":1,"id":1}', allFields).fault, 'the field "group" is missing')
  assert.is(divideText('[1]', allFields).fault, 'the row must be an object with the field "text"')
})

test('without --state-field, the whole row is the state even if another field is missing', () => {
  assert.equal(divideText('[1]', { ...noFields, idField: 'id' }), {
    state: '[1]',
    fault: 'the row must be an object with the field "id"',
  })
})

test.run()
