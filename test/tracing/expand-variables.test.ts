// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested here
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expandVariables } from '../../lib/tracing/expand-variables'

const test = suite('tracing/expand-variables')

const env = {
  STRING_VALUE: 'value',
  EMPTY: '',
  REPLACE_ME: '${DO_NOT_REPLACE_ME}',
  DO_NOT_REPLACE_ME: 'never',
  VALUE_WITH_ESCAPE: 'value$$',
  LINES: 'a\nb: "c"',
}

/** The examples of the OpenTelemetry data model that give the same result when the text is expanded. */
const table: ReadonlyArray<readonly [text: string, expanded: string]> = [
  ['key: ${STRING_VALUE}', 'key: value'],
  ['key: ${env:STRING_VALUE}', 'key: value'],
  ['key: "${STRING_VALUE}"', 'key: "value"'],
  ['key: foo ${STRING_VALUE} ${STRING_VALUE}', 'key: foo value value'],
  ['key: ${UNDEFINED_KEY}', 'key: '],
  ['key: ${EMPTY}', 'key: '],
  ['key: ${UNDEFINED_KEY:-fallback}', 'key: fallback'],
  ['key: ${EMPTY:-fallback}', 'key: fallback'],
  ['key: ${STRING_VALUE:-fallback}', 'key: value'],
  ['key: ${UNDEFINED_KEY:-}', 'key: '],
  ['key: ${UNDEFINED_KEY:-a b:-c}', 'key: a b:-c'],
  ['key: ${REPLACE_ME}', 'key: ${DO_NOT_REPLACE_ME}'],
  ['key: ${UNDEFINED_KEY:-${STRING_VALUE}}', 'key: ${STRING_VALUE}'],
  ['key: $${STRING_VALUE}', 'key: ${STRING_VALUE}'],
  ['key: $$${STRING_VALUE}', 'key: $value'],
  ['key: $$$${STRING_VALUE}', 'key: $${STRING_VALUE}'],
  ['key: $${STRING_VALUE:-fallback}', 'key: ${STRING_VALUE:-fallback}'],
  ['key: $${STRING_VALUE:-${STRING_VALUE}}', 'key: ${STRING_VALUE:-value}'],
  ['key: ${UNDEFINED_KEY:-$${UNDEFINED_KEY}}', 'key: ${UNDEFINED_KEY:-${UNDEFINED_KEY}}'],
  ['key: ${UNDEFINED_KEY:-a$$b}', 'key: a$b'],
  ['key: ${UNDEFINED_KEY:-$$$$}', 'key: $$'],
  ['key: ${STRING_VALUE:-a$$b}', 'key: value'],
  ['key: ${VALUE_WITH_ESCAPE}', 'key: value$$'],
  ['key: a $$ b', 'key: a $ b'],
  ['key: a $ b $STRING_VALUE', 'key: a $ b $STRING_VALUE'],
  ['key: ${LINES}', 'key: a\nb: "c"'],
  ['# ${STRING_VALUE}', '# value'],
  ['key: ${open', 'key: ${open'],
]

for (const [text, expanded] of table) {
  test(text, () => {
    const result = expandVariables(text, env)
    assert.ok(E.isRight(result))
    assert.is(result.right.text, expanded)
  })
}

for (const reference of ['${STRING_VALUE:?error}', '${1A}', '${A-B}', '${}', '${ A }', '${A$$B}']) {
  test(`refuses ${reference} and names its line`, () => {
    const text = `a: $$ 1\n# $$\nkey: x ${reference} \${STRING_VALUE}`
    assert.equal(expandVariables(text, env), E.left(`line 3: invalid reference ${reference}`))
  })
}

test('cuts a long invalid reference in the message', () => {
  const result = expandVariables(`\${${'-'.repeat(5000)}}`, env)
  assert.equal(result, E.left(`line 1: invalid reference \${${'-'.repeat(98)}...`))
})

test('reads half a megabyte of apparent references once', () => {
  for (const unit of ['${', '$', '${A', '$${', '${A:-$${', '}', '${A:-']) {
    const text = unit.repeat((1 << 19) / unit.length)
    for (const whole of [text, `${text}}`, `\${A:-${text}`]) expandVariables(whole, env)
  }
  // A search for the next bracket from each place would outlast the whole run of the tests.
  expandVariables('${'.repeat(1 << 22), env)
  const many = expandVariables('${STRING_VALUE}'.repeat(70_000), env)
  assert.ok(E.isRight(many))
  assert.is(many.right.text.length, 'value'.length * 70_000)
})

test('returns the values from the environment, without defaults', () => {
  const result = expandVariables(
    '${STRING_VALUE} ${STRING_VALUE} ${EMPTY} ${NONE:-kept} ${LINES}',
    env,
  )
  assert.ok(E.isRight(result))
  assert.equal(result.right.values, ['value', 'a\nb: "c"'])
})

test.run()
