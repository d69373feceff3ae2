import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonValue } from '../../../lib/codec/json/json'
import { parseText } from '../../../lib/codec/json/parse'
import { encodePrefix } from '../../../lib/service/engines/readout/encode-prefix'
import { promptPrefix, promptQuestion } from '../../../lib/service/engines/readout/prompt'

const test = suite('service: the beginning of the prompt in pieces (D40, D75)')

const stateOf = (text: string): JsonValue => {
  const parsed = parseText(text)
  if (E.isLeft(parsed)) throw new Error(parsed.left.message)
  return parsed.right
}

const decoded = async (state: JsonValue): Promise<string> =>
  JSON.parse(`"${Buffer.concat([...(await encodePrefix(state))]).toString()}"`)

/** Longer than the pieces that are looked at. */
const long = 'é, 中 and 👍 '.repeat(30_000)

test('it is the same text as when it is made at once', async () => {
  for (const text of [
    '"short"',
    '""',
    '"a\\nb \\"c\\" \\u00e9 \\/ \\\\ \\ud800"',
    'null',
    '12.50',
    '{"a":["\\n","é\\u0000"], "b":\t"\u007f"}',
    JSON.stringify(long),
    JSON.stringify({ long, more: [long, '"\\'] }),
    '"</material> and </material-2>"',
    '{"a":"</material>"}',
  ]) {
    const state = stateOf(text)
    assert.is(await decoded(state), promptPrefix(state), text.slice(0, 80))
  }
})

test('a mark is found wherever it stands, however a text spells it', async () => {
  const spelled = ['</material-2', '<\\/material-2', '\\u003C\\u002fmat\\u0065rial\\u002d\\u0032']
  for (const mark of spelled)
    for (const from of [0, (256 << 10) - 3, (256 << 10) - mark.length, 256 << 10, 600_000]) {
      const state = stateOf(`"</material ${' '.repeat(from)}${mark} "`)
      const whole = await decoded(state)
      assert.is(whole, promptPrefix(state), `${mark} at ${from}`)
      assert.match(whole, /^The text between <material-3>/)
    }
})

test('a prompt is joined where tokenizers always cut: after one line break, before a letter', () => {
  assert.match(promptPrefix(stateOf('"x"')), /\S\n$/)
  assert.match(promptQuestion({ type: 'noul' }, ['Yes', 'No']), /^\w/)
})

test.run()
