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

/** Abbreviates a token: `--file=v`, `word`, `|word` after `--`, `!message`. */
const abbreviate = (token: ArgumentToken): string => {
  switch (token._tag) {
    case 'Flag':
      return `--${token.flag.name}=${token.text}`
    case 'Word':
      return token.literal ? `|${token.text}` : token.text
    case 'Fault':
      return `!${token.message}`
  }
}
const read = (...argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  tokenizeArguments(argv, flags).map(abbreviate)

const table: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ['a value that is --', ['--file', '--'], ['--file=--']],
  ['a bundle with the value next', ['-rf', 'a'], ['--raw=true', '--file=a']],
  ['order of repetition', ['--list', 'a', '--list=b'], ['--list=a', '--list=b']],
  ['-- twice', ['--', '--'], ['|--']],
  ['a prefix is not the flag', ['--fil=a'], ['!unknown flag: --fil; did you mean --file?']],
  ['a shorthand beyond one unit', ['-😀'], ["!unknown shorthand flag: '😀' in -😀"]],
  ['short boolean with =', ['-r=1'], ['--raw=true', "!unknown shorthand flag: '=' in -=1"]],
  ['bad syntax', ['---x'], ['!bad flag syntax: ---x']],
  ['bad syntax with =', ['--=x'], ['!bad flag syntax: --=x']],
  ['names of Object.prototype', ['--constructor'], ['!unknown flag: --constructor']],
]

for (const [name, argv, tokens] of table) {
  test(name, () => assert.equal(read(...argv), tokens))
}

const removed: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ['with its value in the next argument', ['a', '--file', 'b', '-r'], ['a', '-r']],
  ['with its value behind =', ['--file=b', 'a'], ['a']],
  ['under its short name', ['-f', 'b', 'a', '-fb'], ['a']],
  ['but not in the value of another flag', ['--list', '--file', 'a'], ['--list', '--file', 'a']],
  ['but not after --', ['--file', 'b', '--', '--file'], ['--', '--file']],
]

for (const [name, argv, remaining] of removed) {
  test(`a flag is removed ${name}`, () =>
    assert.equal(removeFlags(argv, flags, ['file']), remaining))
}

const anything = fc.array(fc.oneof(fc.string(), fc.stringMatching(/^-{0,3}[a-z=-]{0,8}$/)))

test('never throws', () => {
  fc.assert(
    fc.property(anything, (argv) => assert.ok(Array.isArray(tokenizeArguments(argv, flags)))),
  )
})

test('parsing continues after a fault', () => {
  assert.equal(read('--bad', '--raw'), ['!unknown flag: --bad', '--raw=true'])
})

test('a value arrives unchanged in each of its four spellings', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.anyCharacter }), (value) => {
      assert.equal(read('--file', value), [`--file=${value}`])
      assert.equal(read(`--file=${value}`), [`--file=${value}`])
      assert.equal(read('-f', value), [`--file=${value}`])
      if (value !== '') assert.equal(read(`-f${value}`), [`--file=${value}`])
    }),
  )
})

test('everything after -- arrives as words, unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.anyCharacter })), (words) => {
      assert.equal(
        read('--', ...words),
        words.map((word) => `|${word}`),
      )
    }),
  )
})

test('flags and words can be mixed in any order', () => {
  const flag = fc.constantFrom(['--raw'], ['--file', 'v'], ['-fv'], ['--list=a'], ['-rx'])
  const word = fc.stringMatching(/^[a-z]{1,5}$/).map((text) => [text])
  fc.assert(
    fc.property(
      fc.array(flag),
      fc.array(word),
      fc.infiniteStream(fc.boolean()),
      (fs, ws, turns) => {
        const mixed: string[] = []
        let f = 0
        let w = 0
        while (f < fs.length || w < ws.length) {
          const takeFlag = w >= ws.length || (f < fs.length && turns.next().value === true)
          mixed.push(...((takeFlag ? fs[f++] : ws[w++]) ?? []))
        }
        const tokens = read(...mixed)
        assert.equal(
          tokens.filter((token) => token.startsWith('--')),
          read(...fs.flat()),
        )
        assert.equal(
          tokens.filter((token) => !token.startsWith('--')),
          ws.flat(),
        )
      },
    ),
  )
})

test.run()
