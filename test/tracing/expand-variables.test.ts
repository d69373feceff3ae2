// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts contain references to variables
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

/** Most of these are examples of OpenTelemetry's data model. svc expands the text, not parsed values, so the others do not apply. */
const expansions: ReadonlyArray<readonly [text: string, expanded: string]> = [
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

for (const [text, expanded] of expansions) {
  test(`expands ${text}`, () => {
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

test('expands long texts in linear time', () => {
  for (const fragment of ['${', '$', '${A', '$${', '${A:-$${', '}', '${A:-']) {
    const text = fragment.repeat((1 << 19) / fragment.length)
    for (const input of [text, `${text}}`, `\${A:-${text}`]) expandVariables(input, env)
  }
  // In quadratic time, this would take longer than all other tests.
  expandVariables('${'.repeat(1 << 22), env)
  const expanded = expandVariables('${STRING_VALUE}'.repeat(70_000), env)
  assert.ok(E.isRight(expanded))
  assert.is(expanded.right.text.length, 'value'.length * 70_000)
})

test('returns the values from the environment, without defaults', () => {
  const result = expandVariables(
    '${STRING_VALUE} ${STRING_VALUE} ${EMPTY} ${UNDEFINED_KEY:-fallback} ${LINES}',
    env,
  )
  assert.ok(E.isRight(result))
  assert.equal(result.right.values, ['value', 'a\nb: "c"'])
})

test.run()
