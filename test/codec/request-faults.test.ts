import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeChecked } from '../../lib/codec/request-faults'
import { parseText } from '../../lib/json/parse'

const test = suite('codec/request-faults')

/** Each fault as `loc type: msg`. */
const faults = (text: string): ReadonlyArray<string> => {
  const document = parseText(text)
  if (E.isLeft(document)) throw new Error(document.left.message)
  const checked = decodeChecked(document.right)
  if (E.isRight(checked)) return []
  return checked.left.map(({ loc, type, msg }) => `${JSON.stringify(loc)} ${type}: ${msg}`)
}

const tables: ReadonlyArray<readonly [document: string, ...faults: ReadonlyArray<string>]> = [
  ['{"state":null,"questions":{"q":{"type":"x"}},"model":"m","extra":1}'],
  ['[]', '["body"] object_type: must be an object'],
  [
    '{"model":1}',
    '["body","state"] missing: is required',
    '["body","questions"] missing: is required',
    '["body","model"] string_type: must be a string',
  ],
  ['{"state":1,"questions":[]}', '["body","questions"] object_type: must be an object'],
  [
    '{"state":1,"questions":{}}',
    '["body","questions"] too_short: at least one question is required',
  ],
  [
    '{"questions":{"b":{"type":"noul","x":1,"criteria":{"y":1}},"a":{"type":"score","criteria":["l",null,3]},"":{"type":"choice"},"c":{},"d":7,"e":{"type":""},"f":{"type":"score","criteria":{}}}}',
    '["body","state"] missing: is required',
    '["body","questions","b","x"] unknown_field: unknown field "x"',
    '["body","questions","b","criteria","y"] unknown_field: unknown field "y"',
    '["body","questions","c","type"] missing: is required',
    '["body","questions","d"] object_type: must be an object with a "type"',
    '["body","questions","e","type"] empty: is required',
    '["body","questions","f","criteria"] array_type: must be an array',
    '["body","questions"] empty: question ids must not be empty',
    '["body","questions","","criteria"] too_short: choice requires at least one label',
    '["body","questions","a","criteria",1] missing: is required',
    '["body","questions","a","criteria",2] content_type: must be text, an object or an array',
  ],
  [
    '{"state":1,"questions":{"0":1}}',
    '["body","questions","0"] object_type: must be an object with a "type"',
  ],
]

for (const [document, ...expected] of tables)
  test(document, () => assert.equal(faults(document), expected))

test('lists at most 1,000 faults, the first in code point order', () => {
  const many = (question: string): string => {
    const ids = Array.from({ length: 1500 }, (_, i) => `"${9999 - i}":${question}`)
    return `{"state":1,"questions":{${ids.join(',')}}}`
  }
  for (const question of ['1', '{"type":"choice"}']) {
    const listed = faults(many(question))
    assert.is(listed.length, 1000)
    assert.ok(listed[0]?.startsWith('["body","questions","8500"'), listed[0])
  }
})

test.run()
