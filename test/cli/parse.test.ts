import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isPrettyWanted, parseCommandLine } from '../../lib/cli/parse'
import { messageOf } from '../../lib/failure/message'
import { outsideVectors } from '../support/folders'
import { sample } from './sample'

const test = suite('cli/parse')

/** The command, its own given flags and its words, or the message of the failure. */
const read = (...argv: ReadonlyArray<string>): unknown => {
  const parsed = parseCommandLine(argv, sample(), {})
  if (parsed._tag === 'Left') {
    assert.is(parsed.left._tag, 'Framework')
    return messageOf(parsed.left)
  }
  const { command, flags, globals, passed, args } = parsed.right
  const all: Readonly<Record<string, unknown>> = { ...globals, ...flags }
  const values = [...passed.keys()].map((name) => [name, all[name]])
  return [command?.name ?? 'svc', Object.fromEntries(values), ...args]
}

const understood: ReadonlyArray<readonly [string, ReadonlyArray<string>, unknown]> = [
  ['nothing', [], ['svc', {}]],
  ['a command', ['ask'], ['ask', {}]],
  ['the longest run of words', ['review', 'init'], ['review init', {}]],
  ['a command whose name begins another', ['review'], ['review', {}]],
  ['global flags before', ['--model', 'm', 'ask'], ['ask', { model: 'm' }]],
  ['global flags after', ['ask', '--model=m'], ['ask', { model: 'm' }]],
  ['global flags between', ['review', '--pretty', 'init'], ['review init', { pretty: true }]],
  [
    'a value between that names a command',
    ['--model', 'ask', 'review', '--model', 'init'],
    ['review', { model: 'init' }],
  ],
  [
    "the parent's flag, which the child has too",
    ['review', '--units', 'x', 'init'],
    ['review init', { units: 'x' }],
  ],
  ['the last one wins', ['ask', '--model=a', '--model=b'], ['ask', { model: 'b' }]],
  ['the last one wins: false', ['ask', '--raw', '--raw=false'], ['ask', { raw: false }]],
  ['all of a repeatable', ['ask', '--noul=a,b', '--noul', 'c'], ['ask', { noul: ['a,b', 'c'] }]],
  [
    'both of two flags',
    ['ask', '--trace', '--no-trace'],
    ['ask', { trace: true, 'no-trace': true }],
  ],
  ['values keep their text', ['ask', '--state', '0123'], ['ask', { state: '0123' }]],
  ['-- with nothing after it', ['ask', '--'], ['ask', {}]],
  ['positional arguments', ['help', 'review', 'init'], ['help', {}, 'review', 'init']],
  ['positional arguments after --', ['help', '--', 'review'], ['help', {}, 'review']],
  ['a fixed argument', ['completion', 'zsh'], ['completion', {}, 'zsh']],
  ['help', ['ask', '-h'], ['ask', { help: true }]],
  ['help does without arguments', ['completion', '--help'], ['completion', { help: true }]],
  ['help does with surplus words', ['ask', 'x', '--help'], ['ask', { help: true }, 'x']],
  ['the version, at the root', ['-v'], ['svc', { version: true }]],
  ['a command named version', ['version'], ['version', {}]],
]
for (const [name, argv, expected] of understood) {
  test(`understood: ${name}`, () => assert.equal(read(...argv), expected))
}

const refused: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
  [['unknown'], 'unknown command "unknown" for "svc"'],
  [['reviw'], 'unknown command "reviw" for "svc"; did you mean review?'],
  [['modles'], 'unknown command "modles" for "svc"; did you mean models?'],
  [['mod'], 'unknown command "mod" for "svc"; did you mean models?'],
  [['ASK'], 'unknown command "ASK" for "svc"; did you mean ask?'],
  [['unknown', '--bad'], 'unknown command "unknown" for "svc"'],
  [['unknown', '--help'], 'unknown command "unknown" for "svc"'],
  [[''], 'unknown command "" for "svc"'],
  [['-'], 'unknown command "-" for "svc"'],
  [['init'], 'unknown command "init" for "svc"'],
  [['review init'], 'unknown command "review init" for "svc"'],
  [['--', 'ask'], 'unknown command "ask" for "svc"'],
  [['--unknown', 'ask'], 'unknown flag: --unknown'],
  [['--raw', 'ask'], 'unknown flag: --raw'],
  [['-f', 'x', 'ask'], "unknown shorthand flag: 'f' in -f"],
  [['ask', 'illegal'], 'unknown command "illegal" for "svc ask"'],
  [
    ['ask', 'request.json'],
    'unknown command "request.json" for "svc ask"; did you mean -f request.json?',
  ],
  [
    ['review', 'my.json'],
    'unknown command "my.json" for "svc review"; did you mean --units my.json?',
  ],
  [['ask', '--', 'request.json'], 'unknown command "request.json" for "svc ask"'],
  [['models', 'request.json'], 'unknown command "request.json" for "svc models"'],
  [['ask', '--', '--raw'], 'unknown command "--raw" for "svc ask"'],
  [['review', 'inti'], 'unknown command "inti" for "svc review"; did you mean init?'],
  [['review', '--', 'init'], 'unknown command "init" for "svc review"'],
  [['review', 'init', 'x'], 'unknown command "x" for "svc review init"'],
  [['review', '--json', 'init'], 'unknown flag: --json'],
  [['completion'], 'missing argument: shell, one of bash, zsh'],
  [
    ['completion', 'zhs'],
    'invalid argument "zhs" for "svc completion": shell must be one of bash, zsh; did you mean zsh?',
  ],
  [['completion', 'bash', 'x'], 'unknown command "x" for "svc completion"'],
  [['ask', '--version'], 'unknown flag: --version'],
  [['ask', '-v'], "unknown shorthand flag: 'v' in -v"],
  [['ask', '--help', '--bad'], 'unknown flag: --bad'],
  [['ask', '--raw=x'], 'invalid argument "x" for "--raw" flag: must be true or false'],
  [['ask', '-h=x'], "unknown shorthand flag: '=' in -=x"],
  [['--pretty=', 'ask'], 'invalid argument "" for "--pretty" flag: must be true or false'],
  [
    ['ask', '--max-retries=1.5'],
    'invalid argument "1.5" for "--max-retries" flag: must be a whole number',
  ],
  [
    ['ask', '--timeout', '10'],
    'invalid argument "10" for "--timeout" flag: missing unit, as in 10s or 1m30s',
  ],
  [
    ['ask', '--max-retries=x', '--max-retries=1'],
    'invalid argument "x" for "--max-retries" flag: must be a whole number',
  ],
  [['ask', '--modle', 'x'], 'unknown flag: --modle; did you mean --model?'],
]
for (const [argv, message] of refused) {
  test(`refused: ${JSON.stringify(argv)}`, () => assert.is(read(...argv), message))
}

test('D67: as many flags as a system passes on', () => {
  const many = Array.from({ length: 200_000 }, () => '--noul=q=Is it?')
  const parsed = parseCommandLine(['ask', ...many], sample(), {})
  const given = parsed._tag === 'Right' ? parsed.right.flags.noul : undefined
  assert.is(Array.isArray(given) && given.length, many.length)
})

test('defaults stand in where nothing was passed', () => {
  const parsed = parseCommandLine(['review'], sample(), {})
  assert.ok(parsed._tag === 'Right')
  const { flags, globals } = parsed.right
  assert.equal(flags, {
    units: 'u.json',
    out: undefined,
    only: undefined,
    json: false,
    'min-cover': 0.6,
    'min-thorough': 2,
    'max-state-bytes': 100000,
    'unit-timeout': 120_000_000_000n,
  })
  assert.is(globals.timeout, 10_000_000_000n)
  assert.is(globals['max-retries'], 2)
  assert.is(globals.pretty, false)
  assert.is(globals['api-key'], undefined)
})

test('D16: a variable stands in where its flag is absent or empty, and counts as unset when empty', () => {
  const model = (argv: ReadonlyArray<string>, variable: string): unknown => {
    const env = { SERVICE_DEFAULT_MODEL: variable }
    const parsed = parseCommandLine(['ask', ...argv], sample(), env)
    assert.ok(parsed._tag === 'Right')
    return parsed.right.globals.model
  }
  assert.is(model([], 'env'), 'env')
  assert.is(model(['--model='], 'env'), 'env')
  assert.is(model(['--model=flag'], 'env'), 'flag')
  assert.is(model(['--model='], ''), undefined)
})

test('--pretty is seen on a line that cannot be read', () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, boolean]> = [
    [['bad', '--pretty'], true],
    [['--bad', '--pretty=true'], true],
    [['--pretty', '--pretty=false', '--bad'], false],
    [['--pretty=x'], false],
    [['--prettyx'], false],
    [['x', '--', '--pretty'], false],
    [[], false],
  ]
  for (const [argv, expected] of cases) assert.is(isPrettyWanted(argv), expected, argv.join(' '))
})

interface Vectors {
  readonly failures: ReadonlyArray<{
    readonly from: string
    readonly args: ReadonlyArray<string>
    readonly message: string
  }>
}
const outside = outsideVectors('pflag-cobra.json') as Vectors | undefined
for (const { from, args, message } of outside?.failures ?? []) {
  test(`pflag and cobra: ${from}`, () => {
    const got = read(...args)
    assert.ok(typeof got === 'string' && new RegExp(message).test(got), String(got))
  })
}

test.run()
