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

/**
 * Texts before and after references to `env` are expanded. `$$` is an escaped `$`. Most of these are examples in OpenTelemetry's data
 * model. Its other examples do not apply to svc, which expands references before it parses the document.
 */
const expansions: ReadonlyArray<{ readonly text: string; readonly expanded: string }> = [
  { text: 'key: ${STRING_VALUE}', expanded: 'key: value' },
  { text: 'key: ${env:STRING_VALUE}', expanded: 'key: value' },
  { text: 'key: "${STRING_VALUE}"', expanded: 'key: "value"' },
  { text: 'key: foo ${STRING_VALUE} ${STRING_VALUE}', expanded: 'key: foo value value' },
  { text: 'key: ${UNDEFINED_KEY}', expanded: 'key: ' },
  { text: 'key: ${EMPTY}', expanded: 'key: ' },
  { text: 'key: ${UNDEFINED_KEY:-fallback}', expanded: 'key: fallback' },
  { text: 'key: ${EMPTY:-fallback}', expanded: 'key: fallback' },
  { text: 'key: ${STRING_VALUE:-fallback}', expanded: 'key: value' },
  { text: 'key: ${UNDEFINED_KEY:-}', expanded: 'key: ' },
  { text: 'key: ${UNDEFINED_KEY:-a b:-c}', expanded: 'key: a b:-c' },
  { text: 'key: ${REPLACE_ME}', expanded: 'key: ${DO_NOT_REPLACE_ME}' },
  { text: 'key: ${UNDEFINED_KEY:-${STRING_VALUE}}', expanded: 'key: ${STRING_VALUE}' },
  { text: 'key: $${STRING_VALUE}', expanded: 'key: ${STRING_VALUE}' },
  { text: 'key: $$${STRING_VALUE}', expanded: 'key: $value' },
  { text: 'key: $$$${STRING_VALUE}', expanded: 'key: $${STRING_VALUE}' },
  { text: 'key: $${STRING_VALUE:-fallback}', expanded: 'key: ${STRING_VALUE:-fallback}' },
  { text: 'key: $${STRING_VALUE:-${STRING_VALUE}}', expanded: 'key: ${STRING_VALUE:-value}' },
  {
    text: 'key: ${UNDEFINED_KEY:-$${UNDEFINED_KEY}}',
    expanded: 'key: ${UNDEFINED_KEY:-${UNDEFINED_KEY}}',
  },
  { text: 'key: ${UNDEFINED_KEY:-a$$b}', expanded: 'key: a$b' },
  { text: 'key: ${UNDEFINED_KEY:-$$$$}', expanded: 'key: $$' },
  { text: 'key: ${STRING_VALUE:-a$$b}', expanded: 'key: value' },
  { text: 'key: ${VALUE_WITH_ESCAPE}', expanded: 'key: value$$' },
  { text: 'key: a $$ b', expanded: 'key: a $ b' },
  { text: 'key: a $ b $STRING_VALUE', expanded: 'key: a $ b $STRING_VALUE' },
  { text: 'key: ${LINES}', expanded: 'key: a\nb: "c"' },
  { text: '# ${STRING_VALUE}', expanded: '# value' },
  { text: 'key: ${open', expanded: 'key: ${open' },
]

for (const { text, expanded } of expansions) {
  test(`expands ${text}`, () => {
    const result = expandVariables(text, env)
    assert.ok(E.isRight(result))
    assert.is(result.right.text, expanded)
  })
}

const invalidReferences = ['${STRING_VALUE:?error}', '${1A}', '${A-B}', '${}', '${ A }', '${A$$B}']

for (const reference of invalidReferences) {
  test(`refuses ${reference} and names its line`, () => {
    const text = `a: $$ 1\n# $$\nkey: x ${reference} \${STRING_VALUE}`
    assert.equal(expandVariables(text, env), E.left(`line 3: invalid reference ${reference}`))
  })
}

test('cuts a long invalid reference in the message', () => {
  const result = expandVariables(`\${${'-'.repeat(5000)}}`, env)
  // The message quotes 100 bytes: two for `${`, and 98 of the name.
  assert.equal(result, E.left(`line 1: invalid reference \${${'-'.repeat(98)}...`))
})

// The next two tests assert no time. An algorithm in quadratic time would take minutes for such texts.
test('expands long texts with unfinished references in linear time', () => {
  for (const fragment of ['${', '$', '${A', '$${', '${A:-$${', '}', '${A:-']) {
    // 512 KiB
    const text = fragment.repeat((512 << 10) / fragment.length)
    for (const input of [text, `${text}}`, `\${A:-${text}`]) expandVariables(input, env)
  }
  expandVariables('${'.repeat(4 << 20), env)
})

test('expands many references in linear time', () => {
  const expanded = expandVariables('${STRING_VALUE}'.repeat(70_000), env)
  assert.ok(E.isRight(expanded))
  assert.is(expanded.right.text.length, 'value'.length * 70_000)
})

test('returns each value that it took from the environment once, but no defaults and no empty values', () => {
  const result = expandVariables(
    '${STRING_VALUE} ${STRING_VALUE} ${EMPTY} ${UNDEFINED_KEY:-fallback} ${LINES}',
    env,
  )
  assert.ok(E.isRight(result))
  assert.equal(result.right.values, ['value', 'a\nb: "c"'])
})

test.run()
