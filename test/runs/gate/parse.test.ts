import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AnswerPath,
  type Expression,
  type Operator,
  type RequirementLiteral,
  signOperators,
} from '../../../lib/runs/gate/expression'
import { parseExpression } from '../../../lib/runs/gate/parse'
import * as fc from '../../support/fast-check'

const test = suite('runs/gate/parse')

const barePattern = /^[A-Za-z_][A-Za-z0-9_-]*$/
const keywords = ['or', 'and', 'not', 'in']

/** Returns `true` if a question id or label needs no quotes in an expression. */
const isBareName = (name: string): boolean => barePattern.test(name) && !keywords.includes(name)

/**
 * Formats an expression with as few parentheses as possible. `parentPrecedence` is that of the surrounding operator: 1 for
 * `or`, 2 for `and` and `not`, and 0 at the top level.
 */
const formatExpression = (expression: Expression, parentPrecedence = 0): string => {
  switch (expression.kind) {
    case 'or':
    case 'and': {
      const precedence = expression.kind === 'or' ? 1 : 2
      const operands = expression.operands.map((operand) => formatExpression(operand, precedence))
      const text = operands.join(` ${expression.kind} `)
      return parentPrecedence >= precedence ? `(${text})` : text
    }
    case 'not':
      return `not ${formatExpression(expression.operand, 2)}`
    case 'comparison': {
      const { path, operator, literals } = expression
      const values = literals.map(({ value }) => JSON.stringify(value))
      const right = operator === 'in' ? `[${values.join(', ')}]` : values[0]
      return `${formatPath(path)} ${operator} ${right}`
    }
  }
}

const formatPath = ({ id, field, key }: Pick<AnswerPath, 'id' | 'field' | 'key'>): string => {
  const idText = isBareName(id) ? id : `[${JSON.stringify(id)}]`
  if (key === undefined) return `${idText}.${field}`
  const keyText = isBareName(key) ? `.${key}` : `[${JSON.stringify(key)}]`
  return `${idText}.${field}${keyText}`
}

/** Converts an expression to nested arrays without columns and path texts, to compare it with another one. */
const toArrays = (expression: Expression): unknown => {
  switch (expression.kind) {
    case 'or':
    case 'and':
      return [expression.kind, ...expression.operands.map(toArrays)]
    case 'not':
      return ['not', toArrays(expression.operand)]
    case 'comparison': {
      const { id, field, key } = expression.path
      const values = expression.literals.map(({ value }) => value)
      return [[id, field, key], expression.operator, values]
    }
  }
}

/** Generates question ids and labels, among them some that need quotes. */
const name = fc.oneof(
  fc.constantFrom('a', 'in', 'not', '_x-1', '10', '__proto__', 'a.b', 'a "b"', "it's", 'é'),
  fc.string(),
)
const literal = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)
// The generated columns are 0 and the path texts are empty, because `toArrays` ignores them.
const literals = fc.array(
  // Replaces -0 by 0, because `JSON.stringify` writes both as 0.
  literal.map((value): RequirementLiteral => ({ value: value === 0 ? 0 : value, column: 0 })),
  { minLength: 1, maxLength: 3 },
)
const path = fc
  .record({
    id: name,
    field: fc.constantFrom('noul', 'choice', 'probabilities', 'x_1'),
    key: fc.option(name, { nil: undefined }),
  })
  .map(
    ({ id, field, key }): AnswerPath => ({
      id,
      field,
      key,
      text: '',
      column: 0,
      fieldColumn: 0,
      keyColumn: 0,
    }),
  )
/** Generates expressions up to a small depth. */
const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    // With `withCrossShrink`, fast-check simplifies an expression that fails to a comparison.
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ path, literals, operator: fc.constantFrom<Operator>(...signOperators, 'in') }).map(
      (comparison): Expression => ({
        kind: 'comparison',
        path: comparison.path,
        column: 0,
        operator: comparison.operator,
        // Only `in` takes a list.
        literals:
          comparison.operator === 'in' ? comparison.literals : comparison.literals.slice(0, 1),
      }),
    ),
    tie('expression').map((operand): Expression => ({ kind: 'not', operand })),
    fc
      .tuple(
        fc.constantFrom('or' as const, 'and' as const),
        fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
      )
      .map(([kind, operands]): Expression => ({ kind, operands })),
  ),
}))

test('parses the text of an expression to the same expression', () => {
  fc.assert(
    fc.property(expression, (original) => {
      const text = formatExpression(original)
      const parsed = parseExpression(text)
      assert.ok(E.isRight(parsed), text)
      if (E.isRight(parsed)) assert.equal(toArrays(parsed.right), toArrays(original))
    }),
    { numRuns: 500 },
  )
})

test('never throws, and the column of a fault is within the text or one character after it', () => {
  const signs = ['.', '[', ']', '(', ')', '"', "'", '==', '\\']
  const token = fc.constantFrom('a', 'not ', 'in', '1', 'é', ...signs)
  fc.assert(
    fc.property(fc.array(token), (tokens) => {
      const text = tokens.join('')
      const parsed = parseExpression(text)
      if (E.isLeft(parsed))
        assert.ok(parsed.left.column >= 1 && parsed.left.column <= [...text].length + 1, text)
    }),
  )
})

/** Formats the fault of an expression as `<message> at <column>`. `undefined` if the expression is valid. */
const describeFault = (text: string): string | undefined => {
  const parsed = parseExpression(text)
  return E.isLeft(parsed) ? `${parsed.left.message} at ${parsed.left.column}` : undefined
}

const faults: ReadonlyArray<{ readonly text: string; readonly fault: string }> = [
  { text: '', fault: 'expected a question id, found the end at 1' },
  { text: 'billing', fault: 'expected "." and a field, found the end at 8' },
  {
    text: 'billing.noul',
    fault: 'expected a comparison (==, !=, <, <=, >, >= or in), found the end at 13',
  },
  { text: 'billing.noul = 1', fault: 'unexpected "="; did you mean ==? at 14' },
  { text: 'billing.noul => 1', fault: 'unexpected "=>"; did you mean >=? at 14' },
  { text: 'billing.noul =< 1', fault: 'unexpected "=<"; did you mean <=? at 14' },
  { text: 'billing.noul =! 1', fault: 'unexpected "=!"; did you mean !=? at 14' },
  { text: 'a.noul > 1 || b.noul > 1', fault: 'unexpected "|"; did you mean or? at 12' },
  { text: 'billing.noul > .5', fault: 'expected a number or a text in quotes, found . at 16' },
  {
    text: 'in.noul > 1',
    fault: 'expected a question id (write ["in"] for that id), found in at 1',
  },
  { text: '1a.noul > 1', fault: 'expected a question id, found 1 at 1' },
  // The emoji is one character, but two UTF-16 units.
  { text: '["\u{1f600}"].noul > 1 x', fault: 'expected "and", "or" or the end, found x at 16' },
  { text: '[a].noul > 1', fault: 'expected a text in quotes, found a at 2' },
  { text: '["a".noul > 1', fault: 'expected "]", found . at 5' },
  { text: '["a].noul > 1', fault: 'a text without a closing quote at 2' },
  { text: "a.choice == 'x", fault: 'a text without a closing quote at 13' },
  { text: 'a.choice == "\\x"', fault: 'a text with an invalid escape at 13' },
  { text: 'a.choice == "\n"', fault: 'a text without a closing quote at 13' },
  { text: 'a.choice in []', fault: 'expected a number or a text in quotes, found ] at 14' },
  { text: 'a.choice in ["x"', fault: 'expected "," or "]", found the end at 17' },
  { text: 'a.choice in "x"', fault: 'expected "[", found "x" at 13' },
  { text: '(a.noul > 1', fault: 'expected ")", found the end at 12' },
  { text: 'a.probabilities.5 > 1', fault: 'expected a label, found 5 at 17' },
  { text: `${'('.repeat(101)}a.noul > 1`, fault: 'more than 100 levels deep at 101' },
  // The 101st `not` follows 100 times four characters.
  { text: `${'not '.repeat(50_000)}a.noul > 1`, fault: 'more than 100 levels deep at 401' },
]
for (const { text, fault } of faults)
  test(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.is(describeFault(text), fault)
  })

test.run()
