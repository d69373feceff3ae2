import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Expression, Path, RequirementLiteral } from '../../../lib/runs/gate/expression'
import { parseExpression } from '../../../lib/runs/gate/parse'
import * as fc from '../../support/fast-check'

const test = suite('runs/gate/grammar')

const bare = /^[A-Za-z_][A-Za-z0-9_-]*$/
const keywords = ['or', 'and', 'not', 'in']
const isBareName = (name: string): boolean => bare.test(name) && !keywords.includes(name)

/** Formats an expression with no more parentheses than it needs. */
const print = (expression: Expression, inside = 0): string => {
  switch (expression.is) {
    case 'or':
    case 'and': {
      const strength = expression.is === 'or' ? 1 : 2
      const text = expression.parts.map((part) => print(part, strength)).join(` ${expression.is} `)
      return inside >= strength ? `(${text})` : text
    }
    case 'not':
      return `not ${print(expression.part, 2)}`
    case 'comparison': {
      const { path, operator, literals } = expression
      const values = literals.map(({ value }) => JSON.stringify(value))
      const right = operator === 'in' ? `[${values.join(', ')}]` : values[0]
      return `${printPath(path)} ${operator} ${right}`
    }
  }
}

const printPath = ({ id, field, key }: Pick<Path, 'id' | 'field' | 'key'>): string => {
  const from = isBareName(id) ? id : `[${JSON.stringify(id)}]`
  if (key === undefined) return `${from}.${field}`
  return `${from}.${field}${isBareName(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`
}

/** Returns an expression as arrays, without its columns. */
const dropColumns = (expression: Expression): unknown => {
  switch (expression.is) {
    case 'or':
    case 'and':
      return [expression.is, ...expression.parts.map(dropColumns)]
    case 'not':
      return ['not', dropColumns(expression.part)]
    case 'comparison': {
      const { id, field, key } = expression.path
      const values = expression.literals.map(({ value }) => value)
      return [[id, field, key], expression.operator, values]
    }
  }
}

const name = fc.oneof(
  fc.constantFrom('a', 'in', 'not', '_x-1', '10', '__proto__', 'a.b', 'a "b"', "it's", 'é'),
  fc.string(),
)
const literal = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)
const literals = fc.array(
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
    ({ id, field, key }): Path => ({
      id,
      field,
      text: '',
      column: 0,
      fieldColumn: 0,
      ...(key !== undefined && { key }),
    }),
  )
const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .record({ path, literals, operator: fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in') })
      .map(
        ({ path: about, literals: list, operator }): Expression => ({
          is: 'comparison',
          path: about,
          column: 0,
          operator: operator as '==',
          literals: operator === 'in' ? list : list.slice(0, 1),
        }),
      ),
    tie('expression').map((part): Expression => ({ is: 'not', part })),
    fc
      .tuple(
        fc.constantFrom('or' as const, 'and' as const),
        fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
      )
      .map(([is, parts]): Expression => ({ is, parts })),
  ),
}))

test('parses a printed expression to the same expression', () => {
  fc.assert(
    fc.property(expression, (one) => {
      const parsed = parseExpression(print(one))
      assert.ok(E.isRight(parsed), print(one))
      if (E.isRight(parsed)) assert.equal(dropColumns(parsed.right), dropColumns(one))
    }),
    { numRuns: 500 },
  )
})

test('never throws, and reports faults inside the text', () => {
  const signs = ['.', '[', ']', '(', ')', '"', "'", '==', '\\']
  const piece = fc.constantFrom('a', 'not ', 'in', '1', 'é', ...signs)
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('')
      const parsed = parseExpression(text)
      if (E.isLeft(parsed))
        assert.ok(parsed.left.column >= 1 && parsed.left.column <= [...text].length + 1, text)
    }),
  )
})

const describeFault = (text: string): string => {
  const parsed = parseExpression(text)
  return E.isLeft(parsed) ? `${parsed.left.why} at ${parsed.left.column}` : 'none'
}

const faults: ReadonlyArray<readonly [text: string, fault: string]> = [
  ['', 'expected a question id, found the end at 1'],
  ['billing', 'expected "." and a field, found the end at 8'],
  ['billing.noul', 'expected a comparison (==, !=, <, <=, >, >= or in), found the end at 13'],
  ['billing.noul = 1', 'unexpected "="; did you mean ==? at 14'],
  ['a.noul > 1 || b.noul > 1', 'unexpected "|"; did you mean or? at 12'],
  ['billing.noul > .5', 'expected a number or a text in quotes, found . at 16'],
  ['in.noul > 1', 'expected a question id (write ["in"] for that id), found in at 1'],
  ['1a.noul > 1', 'expected a question id, found 1 at 1'],
  ['["\u{1f600}"].noul > 1 x', 'expected "and", "or" or the end, found x at 16'],
  ['[a].noul > 1', 'expected a text in quotes, found a at 2'],
  ['["a".noul > 1', 'expected "]", found . at 5'],
  ['["a].noul > 1', 'a text without its closing quote at 2'],
  ["a.choice == 'x", 'a text without its closing quote at 13'],
  ['a.choice == "\\x"', 'a text that JSON does not know at 13'],
  ['a.choice == "\n"', 'a text without its closing quote at 13'],
  ['a.choice in []', 'expected a number or a text in quotes, found ] at 14'],
  ['a.choice in ["x"', 'expected "," or "]", found the end at 17'],
  ['a.choice in "x"', 'expected "[", found "x" at 13'],
  ['(a.noul > 1', 'expected ")", found the end at 12'],
  ['a.probabilities.5 > 1', 'expected a label, found 5 at 17'],
  [`${'('.repeat(101)}a.noul > 1`, 'more than 100 levels deep at 101'],
  [`${'not '.repeat(50_000)}a.noul > 1`, 'more than 100 levels deep at 401'],
]
for (const [text, fault] of faults)
  test(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.is(describeFault(text), fault)
  })

test.run()
