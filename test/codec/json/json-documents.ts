import * as fc from '../../support/fast-check'

/** The syntax tree of a JSON text. Scalars and member names keep their spelling: `1.0`, `"\u0061"`. */
type Node =
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'array'; readonly items: ReadonlyArray<Node> }
  | { readonly kind: 'object'; readonly members: ReadonlyArray<Member> }
type Member = readonly [name: string, value: Node]

const characters = fc.oneof(
  fc.string({ unit: fc.anyCharacter, maxLength: 4 }),
  fc.constantFrom('é', '😀', '{', '}', '[', ']', ',', ':', ' ', '\u2028', 'x'.repeat(40)),
)
const escapes = fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\u0000', '\\ud800', '\\uDC00\\t')
const stringLiteral = fc
  .array(
    fc.oneof(
      characters.map((text) => JSON.stringify(text).slice(1, -1)),
      escapes,
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join('')}"`)
const numberLiteral = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1e400', '-1E-400', '12345678901234567890', '0.10', '1E+2'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.bigInt().map(String),
)

/** Generates member names as JSON strings, with their quotes. */
export const nameLiteral = fc.oneof(
  fc.constantFrom('"__proto__"', '"constructor"', '"10"', '"2"', '""', '"a"', '"\\u0061"'),
  stringLiteral,
)

const scalar = fc
  .oneof(fc.constantFrom('true', 'false', 'null'), numberLiteral, stringLiteral)
  .map((text): Node => ({ kind: 'scalar', text }))

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    // More scalars than lists and objects keep the documents small.
    { weight: 3, arbitrary: scalar },
    {
      weight: 1,
      arbitrary: fc
        .array(tie('node'), { maxLength: 5 })
        .map((items): Node => ({ kind: 'array', items })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.tuple(nameLiteral, tie('node')), { maxLength: 5 })
        .map((members): Node => ({ kind: 'object', members })),
    },
  ),
}))

/**
 * Returns the value of a text. Uses `JSON.parse` only for scalars and names, because in Node 24 and 26 it returns wrong names for
 * objects whose member names have escapes.
 */
const toValue = (node: Node): unknown => {
  switch (node.kind) {
    case 'scalar':
      return JSON.parse(node.text)
    case 'array':
      return node.items.map(toValue)
    case 'object':
      return Object.fromEntries(
        node.members.map(([name, value]) => [JSON.parse(name), toValue(value)]),
      )
  }
}

/** Decodes the escapes of a string literal and encodes it as `svc` does. */
const normalizeString = (literal: string): string => JSON.stringify(JSON.parse(literal))

/** Returns the text that `svc` prints: numbers in their spelling, and the last value of a repeated name. */
const toPrinted = (node: Node): string => {
  switch (node.kind) {
    case 'scalar':
      return node.text.startsWith('"') ? normalizeString(node.text) : node.text
    case 'array':
      return `[${node.items.map(toPrinted).join(',')}]`
    case 'object': {
      const members = new Map(
        node.members.map(([name, value]) => [normalizeString(name), toPrinted(value)]),
      )
      return `{${Array.from(members, ([name, value]) => `${name}:${value}`).join(',')}}`
    }
  }
}

/** Puts a comma between the token lists of items or members. */
const separate = (lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  lists.flatMap((tokens, index) => (index === 0 ? tokens : [',', ...tokens]))

const toTokens = (node: Node): ReadonlyArray<string> => {
  switch (node.kind) {
    case 'scalar':
      return [node.text]
    case 'array':
      return ['[', ...separate(node.items.map(toTokens)), ']']
    case 'object': {
      const members = node.members.map(([name, value]) => [name, ':', ...toTokens(value)])
      return ['{', ...separate(members), '}']
    }
  }
}

/** A generated JSON document: its text in two spellings, and its value. */
interface JsonDocument {
  readonly value: unknown
  /** The text as `svc` prints it, on one line. */
  readonly printed: string
  /** The text with the original escapes and repeated names, and with whitespace between its tokens. */
  readonly spaced: string
}

const whitespace = fc.stringMatching(/^[ \t\r\n]{0,3}$/)

/** Generates documents of up to six levels. */
export const jsonDocument: fc.Arbitrary<JsonDocument> = fc
  .tuple(node, fc.array(whitespace, { minLength: 1 }))
  .map(([root, gaps]) => {
    // Repeats the gaps if there are more tokens.
    const gapAt = (index: number): string => gaps[index % gaps.length] ?? ''
    const tokens = toTokens(root)
    const spaced = tokens.map((token, index) => gapAt(index) + token).join('')
    return {
      value: toValue(root),
      printed: toPrinted(root),
      spaced: spaced + gapAt(tokens.length),
    }
  })
