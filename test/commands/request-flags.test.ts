import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseQuestionFlags, type QuestionFlags } from '../../commands/request/request-flags'
import { encodeText } from '../../lib/codec/json/draft'
import { encodeQuestions } from '../../lib/codec/request'

const test = suite('commands/request-flags')

/** The flags without any question. `--noul` asks a yes/no question. */
const noFlags: QuestionFlags = { noul: [], choice: [], score: [] }

/** Returns the questions as they are sent, or the message of the usage error. */
const parse = (flags: Partial<QuestionFlags>): string => {
  const result = parseQuestionFlags({ ...noFlags, ...flags })
  if (E.isLeft(result))
    return result.left._tag === 'Usage' ? result.left.message : 'another failure'
  return encodeText(encodeQuestions(result.right))
}

test('parses --choice: labels follow the last colon, and are trimmed', () => {
  const cases: ReadonlyArray<readonly [value: string, instructionsAndCriteria: string]> = [
    ['k=Which?:a,b', '"Which?","criteria":{"a":null,"b":null}'],
    ['k=Which: one?: a , b ', '"Which: one?","criteria":{"a":null,"b":null}'],
    ['k=:a', '"","criteria":{"a":null}'],
    ['k=Which?:a|b', '"Which?","criteria":{"a|b":null}'],
    // Labels keep their order. An object would move numbers to the front, and would treat `__proto__` in a special way.
    ['k=Which?:10,2,__proto__', '"Which?","criteria":{"10":null,"2":null,"__proto__":null}'],
    ['k=Which?:a:b,c', '"Which?:a","criteria":{"b":null,"c":null}'],
  ]
  for (const [value, instructionsAndCriteria] of cases)
    assert.is(
      parse({ choice: [value] }),
      `{"k":{"type":"choice","instructions":${instructionsAndCriteria}}}`,
      value,
    )
})

test('names the flag and its value if the value is invalid', () => {
  // Commas separate the labels of a choice, and `|` the levels of a score.
  const cases: ReadonlyArray<readonly [flag: keyof QuestionFlags, value: string, reason: string]> =
    [
      ['noul', '', 'expected key=instructions'],
      ['noul', 'k', 'expected key=instructions'],
      // A value that begins with `=` has no key. A key of spaces is blank.
      ['noul', '=x', 'expected key=instructions'],
      ['noul', ' =x', 'question key must not be blank'],
      ['choice', 'k:a,b', 'expected key=instructions'],
      ['choice', '\t=q:a', 'question key must not be blank'],
      ['choice', 'k=q', 'expected key=instructions:labels'],
      ['choice', 'k=q:', 'empty label'],
      ['choice', 'k=q:a,,b', 'empty label'],
      ['choice', 'k=q:a, ', 'empty label'],
      ['score', 'k', 'expected key=instructions'],
      ['score', 'k=q', 'expected key=instructions:labels'],
      ['score', 'k=q:', 'empty label'],
      ['score', 'k=q:a||b', 'empty label'],
      ['score', 'k=q:a', 'needs at least two levels separated by |'],
      ['score', 'k=q:a,b', 'needs at least two levels separated by |'],
    ]
  for (const [flag, value, reason] of cases)
    assert.is(parse({ [flag]: [value] }), `--${flag} "${value}": ${reason}`, value)
})

test('refuses a key that two flags have', () => {
  const duplicate = 'duplicate question key "k"'
  // Spaces around a key do not count.
  assert.is(parse({ noul: ['k=a', ' k =b'] }), duplicate)
  assert.is(parse({ noul: ['k=a'], choice: ['k=q:a'] }), duplicate)
  assert.is(parse({ choice: ['k=q:a'], score: ['k=q:a|b'] }), duplicate)
})

test('reports an invalid value before a duplicate key', () => {
  assert.is(parse({ noul: ['k=a', 'k=b', 'bad'] }), '--noul "bad": expected key=instructions')
})

test.run()
