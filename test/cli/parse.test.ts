import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { messageOf } from '../../lib/failure/message'
import { readVectors } from '../support/folders'
import { createSampleCommands } from './sample'

const test = suite('cli/parse')

/** Parses a command line into the command, the passed flags and the arguments, or the message of the failure. */
const parse = (...argv: ReadonlyArray<string>): unknown => {
  const parsed = parseCommandLine(argv, createSampleCommands(), {})
  if (parsed._tag === 'Left') {
    assert.is(parsed.left.failure._tag, 'Framework')
    return messageOf(parsed.left.failure)
  }
  const { command, flags, globals, passed, args } = parsed.right
  const all: Readonly<Record<string, unknown>> = { ...globals, ...flags }
  const values = [...passed.keys()].map((name) => [name, all[name]])
  return [command?.name ?? 'svc', Object.fromEntries(values), ...args]
}

const refused: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
  [['reviw'], 'unknown command "reviw" for "svc"; did you mean review?'],
  [['unknown', '--bad'], 'unknown command "unknown" for "svc"'],
  [['review init'], 'unknown command "review init" for "svc"'],
  [['--raw', 'ask'], 'unknown flag: --raw'],
  [
    ['review', 'my.json'],
    'unknown command "my.json" for "svc review"; did you mean --units my.json?',
  ],
  [['ask', '--', 'request.json'], 'unknown command "request.json" for "svc ask"'],
  [['review', 'inti'], 'unknown command "inti" for "svc review"; did you mean init?'],
  [['completion'], 'missing argument: shell, one of bash, zsh'],
  [
    ['completion', 'zhs'],
    'invalid argument "zhs" for "svc completion": shell must be one of bash, zsh; did you mean zsh?',
  ],
  [['ask', '-h=x'], "unknown shorthand flag: '=' in -=x"],
  [['--pretty=', 'ask'], 'invalid argument "" for "--pretty" flag: must be true or false'],
]
for (const [argv, message] of refused) {
  test(`refused: ${JSON.stringify(argv)}`, () => assert.is(parse(...argv), message))
}

test('200,000 flags are parsed', () => {
  const many = Array.from({ length: 200_000 }, () => '--noul=q=Is it?')
  const parsed = parseCommandLine(['ask', ...many], createSampleCommands(), {})
  const given = parsed._tag === 'Right' ? parsed.right.flags.noul : undefined
  assert.is(Array.isArray(given) && given.length, many.length)
})

test('an argument may stand for the flag that declares it', () => {
  assert.equal(parse('judge', 'run.json'), ['judge', { input: 'run.json' }])
  assert.equal(parse('judge', '--', '-run'), ['judge', { input: '-run' }])
  assert.is(parse('judge', 'a', 'b'), 'unknown command "b" for "svc judge"')
})

test('--pretty counts even on a line that is refused', () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, boolean]> = [
    [['bad', '--pretty'], true],
    [['--bad', '--pretty=true'], true],
    [['--pretty', '--pretty=false', '--bad'], false],
    [['--pretty=x'], false],
    [['--prettyx'], false],
    [['x', '--', '--pretty'], false],
    [[], false],
  ]
  for (const [argv, expected] of cases) {
    const parsed = parseCommandLine(argv, createSampleCommands(), {})
    const { passed } = parsed._tag === 'Left' ? parsed.left : parsed.right
    assert.is(passed.get('pretty') ?? false, expected, argv.join(' '))
  }
})

test('API keys on the command line are found, even behind misspelt flags', () => {
  const argv = ['ask', '--api-key', ' d ', '--api-key=e=f', '-api-key=g', '--apikey=h', '--key=i']
  const other = [
    '--noul=key=Is it?',
    '--api-keys-file=path',
    'key=x',
    '--api_key',
    'j',
    '--api-key',
  ]
  const parsed = parseCommandLine([...argv, ...other], createSampleCommands(), {})
  assert.equal(parsed._tag === 'Left' && parsed.left.secrets, ['d', 'e=f', 'g', 'h', 'i', 'j'])
})

interface Vectors {
  readonly failures: ReadonlyArray<{
    readonly from: string
    readonly args: ReadonlyArray<string>
    readonly message: string
  }>
}
for (const { from, args, message } of readVectors<Vectors>('pflag-cobra.json').failures) {
  test(`pflag and cobra: ${from}`, () => {
    const got = parse(...args)
    assert.ok(typeof got === 'string' && new RegExp(message).test(got), String(got))
  })
}

test.run()
