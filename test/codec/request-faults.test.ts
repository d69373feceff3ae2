import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseText } from '../../lib/codec/json/parse'
import { decodeAndCheckRequest } from '../../lib/codec/request-faults'

const test = suite('codec/request-faults')

/** Decodes and checks a request. Returns each fault as `loc type: msg`. */
const findFaults = (text: string): ReadonlyArray<string> => {
  const document = parseText(text)
  if (E.isLeft(document)) throw new Error(document.left.message)
  const checked = decodeAndCheckRequest(document.right)
  if (E.isRight(checked)) return []
  return checked.left.map(({ loc, type, msg }) => `${JSON.stringify(loc)} ${type}: ${msg}`)
}

/** Requests, each with its faults as `findFaults` returns them. */
const requests: ReadonlyArray<readonly [request: string, ...faults: ReadonlyArray<string>]> = [
  ['{"state":null,"questions":{"q":{"type":"x"}},"model":"m","extra":1}'],
  ['[]', '["body"] object_type: must be an object'],
  [
    '{"state":1,"questions":{"a":{"type":"noul"},"b":{"type":"noul","x":1}}}',
    '["body","questions","b","x"] unknown_field: unknown field "x"',
  ],
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
    `{"questions":{
      "b":{"type":"noul","x":1,"criteria":{"y":1}},
      "a":{"type":"score","criteria":["l",null,3]},
      "":{"type":"choice"},
      "c":{},
      "d":7,
      "e":{"type":""},
      "f":{"type":"score","criteria":{}}
    }}`,
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

for (const [request, ...faults] of requests)
  test(`finds ${faults.length} faults in ${request.replaceAll(/\n */g, '')}`, () =>
    assert.equal(findFaults(request), faults))

/**
 * Creates a request that asks the same question 1500 times. The ids count down from 11499 to 10000. In the order of code points, the
 * last id is the first.
 */
const repeatQuestion = (question: string): string => {
  const members = Array.from({ length: 1500 }, (_, i) => `"${11_499 - i}":${question}`)
  return `{"state":1,"questions":{${members.join(',')}}}`
}

test('lists 20 faults in code point order of the ids, and counts all other faults', () => {
  for (const question of ['1', '{"type":"choice"}']) {
    const faults = findFaults(repeatQuestion(question))
    // 20 of the 1500 faults, and the entry that counts the others.
    assert.is(faults.length, 21)
    assert.ok(faults[0]?.startsWith('["body","questions","10000"'), faults[0])
    assert.is(faults[20], '["body"] more: 1480 more faults')
  }
})

test('cuts long names to 100 bytes at a character boundary', () => {
  const longName = 'é'.repeat(1000)
  const cutName = `${'é'.repeat(50)}...`
  assert.equal(
    findFaults(`{"state":1,"questions":{"${longName}":{"type":"noul","${longName}":1}}}`),
    [`["body","questions","${cutName}","${cutName}"] unknown_field: unknown field "${cutName}"`],
  )
  assert.equal(
    findFaults(`{"state":1,"questions":{"q":{"type":"choice","criteria":{"${longName}":1}}}}`),
    [
      `["body","questions","q","criteria","${cutName}"] content_type: must be text, an object or an array`,
    ],
  )
})

test.run()
