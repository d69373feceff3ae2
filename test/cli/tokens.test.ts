import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Flags } from '../../lib/cli/flags'
import { type ArgumentToken, removeFlags, tokenizeArguments } from '../../lib/cli/tokens'
import * as fc from '../support/fast-check'

const test = suite('cli/tokens')

const flags: Flags = [
  { name: 'file', short: 'f', type: 'string', summary: '' },
  { name: 'list', type: 'strings', summary: '' },
  { name: 'raw', short: 'r', type: 'bool', summary: '' },
  { name: 'xray', short: 'x', type: 'bool', summary: '' },
  { name: 'trace', type: 'bool', summary: '' },
  { name: 'no-trace', type: 'bool', summary: '' },
]

/** Abbreviates a token: `--file=v` is a flag, `word` a word, `|word` a word after `--`, `!message` a fault. */
const abbreviate = (token: ArgumentToken): string => {
  switch (token._tag) {
    case 'Flag':
      return `--${token.flag.name}=${token.text}`
    case 'Word':
      return token.isLiteral ? `|${token.text}` : token.text
    case 'Fault':
      return `!${token.message}`
  }
}

const tokenize = (...argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  tokenizeArguments(argv, flags).map(abbreviate)

const tokenizedLines: ReadonlyArray<
  readonly [title: string, argv: ReadonlyArray<string>, tokens: ReadonlyArray<string>]
> = [
  ['a value that is --', ['--file', '--'], ['--file=--']],
  [
    'a cluster of short flags, whose last one takes the next argument',
    ['-rf', 'a'],
    ['--raw=true', '--file=a'],
  ],
  ['a repeated flag', ['--list', 'a', '--list=b'], ['--list=a', '--list=b']],
  ['-- twice', ['--', '--'], ['|--']],
  ['an abbreviated flag name', ['--fil=a'], ['!unknown flag: --fil; did you mean --file?']],
  ['a short flag of two UTF-16 units', ['-😀'], ["!unknown shorthand flag: '😀' in -😀"]],
  ['a short boolean with =', ['-r=1'], ['--raw=true', "!unknown shorthand flag: '=' in -=1"]],
  ['three dashes', ['---x'], ['!bad flag syntax: ---x']],
  ['a flag without a name', ['--=x'], ['!bad flag syntax: --=x']],
  ['a name of Object.prototype', ['--constructor'], ['!unknown flag: --constructor']],
  ['a valid flag after a fault', ['--bad', '--raw'], ['!unknown flag: --bad', '--raw=true']],
]
for (const [title, argv, tokens] of tokenizedLines)
  test(`tokenizes ${title}`, () => assert.equal(tokenize(...argv), tokens))

const removals: ReadonlyArray<
  readonly [title: string, argv: ReadonlyArray<string>, remaining: ReadonlyArray<string>]
> = [
  ['removes a flag with its value in the next argument', ['a', '--file', 'b', '-r'], ['a', '-r']],
  ['removes a flag with its value after =', ['--file=b', 'a'], ['a']],
  ['removes a flag by its short name', ['-f', 'b', 'a', '-fb'], ['a']],
  ['keeps a value that looks like the flag', ['--list', '--file', 'a'], ['--list', '--file', 'a']],
  ['keeps a word after -- that looks like the flag', ['--', '--file'], ['--', '--file']],
]
for (const [title, argv, remaining] of removals)
  test(title, () => assert.equal(removeFlags(argv, flags, ['file']), remaining))

const anyText = fc.string({ unit: fc.anyCharacter })

test('never throws', () => {
  const argument = fc.oneof(fc.string(), fc.stringMatching(/^-{0,3}[a-z=-]{0,8}$/))
  fc.assert(
    fc.property(fc.array(argument), (argv) => {
      tokenizeArguments(argv, flags)
    }),
  )
})

test('keeps a value unchanged in all four spellings of its flag', () => {
  fc.assert(
    fc.property(anyText, (value) => {
      const expected = [`--file=${value}`]
      assert.equal(tokenize('--file', value), expected)
      assert.equal(tokenize(`--file=${value}`), expected)
      assert.equal(tokenize('-f', value), expected)
      if (value !== '') assert.equal(tokenize(`-f${value}`), expected)
    }),
  )
})

test('keeps all words after -- unchanged', () => {
  fc.assert(
    fc.property(fc.array(anyText), (words) => {
      assert.equal(
        tokenize('--', ...words),
        words.map((word) => `|${word}`),
      )
    }),
  )
})

test('tokenizes flags and words in any order', () => {
  const flag = fc.constantFrom(['--raw'], ['--file', 'v'], ['-fv'], ['--list=a'], ['-rx'])
  const word = fc.stringMatching(/^[a-z]{1,5}$/)
  const isFlagToken = (token: string) => token.startsWith('--')
  fc.assert(
    fc.property(fc.array(fc.oneof(flag, word)), (flagsAndWords) => {
      const flagArguments = flagsAndWords.filter((item) => typeof item !== 'string')
      const words = flagsAndWords.filter((item) => typeof item === 'string')
      const tokens = tokenize(...flagsAndWords.flat())
      assert.equal(tokens.filter(isFlagToken), tokenize(...flagArguments.flat()))
      assert.equal(
        tokens.filter((token) => !isFlagToken(token)),
        words,
      )
    }),
  )
})

test.run()
