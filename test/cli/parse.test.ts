import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { messageOf } from '../../lib/failure/report'
import { readVectors } from '../support/vectors'
import { createSampleCommands } from './sample-commands'

const test = suite('cli/parse')

const parse = (argv: ReadonlyArray<string>) => parseCommandLine(argv, createSampleCommands(), {})

const parseValid = (argv: ReadonlyArray<string>) => {
  const parsed = parse(argv)
  if (E.isLeft(parsed)) throw new Error(messageOf(parsed.left.failure))
  return parsed.right
}

/** Asserts that the parser refuses a line because of its grammar. Returns the error message. */
const expectRefusal = (argv: ReadonlyArray<string>): string => {
  const parsed = parse(argv)
  if (E.isRight(parsed)) throw new Error(`accepted: ${argv.join(' ')}`)
  assert.is(parsed.left.failure._tag, 'CommandLine')
  return messageOf(parsed.left.failure)
}

/** Of the sample commands, `ask` has the flag `--raw`. Files that end with `.json` can be values of `--file` and `--units`. */
const refusedLines: ReadonlyArray<readonly [argv: ReadonlyArray<string>, message: string]> = [
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
  [['judge', 'a', 'b'], 'unknown command "b" for "svc judge"'],
  [['ask', '-h=x'], "unknown shorthand flag: '=' in -=x"],
  [['--pretty=', 'ask'], 'invalid argument "" for "--pretty" flag: must be true or false'],
]
for (const [argv, message] of refusedLines)
  test(`refuses ${JSON.stringify(argv)}`, () => assert.is(expectRefusal(argv), message))

/** Command lines that pflag and cobra refuse. These Go libraries set the grammar and the messages. */
interface Vectors {
  readonly failures: ReadonlyArray<{
    readonly from: string
    readonly args: ReadonlyArray<string>
    /** A regular expression that svc's message matches. */
    readonly message: string
  }>
}
for (const { from, args, message } of readVectors<Vectors>('pflag-cobra.json').failures)
  test(`refuses like pflag and cobra: ${from}`, () =>
    assert.match(expectRefusal(args), new RegExp(message)))

test('parses 200,000 flags', () => {
  const questions = Array.from({ length: 200_000 }, () => 'q=Is it?')
  const { flags } = parseValid(['ask', ...questions.map((question) => `--noul=${question}`)])
  assert.equal(flags.noul, questions)
})

test('takes a positional word as the value of its flag, also after --', () => {
  const { flags, args } = parseValid(['judge', 'run.json'])
  assert.is(flags.input, 'run.json')
  assert.equal(args, [])
  assert.is(parseValid(['judge', '--', '-run']).flags.input, '-run')
})

/** Lines that the parser refuses, and the value of `--pretty` that still applies to the error on stdout. */
const prettyLines: ReadonlyArray<
  readonly [argv: ReadonlyArray<string>, pretty: boolean | undefined]
> = [
  [['bad', '--pretty'], true],
  [['--bad', '--pretty=true'], true],
  [['--pretty', '--pretty=false', '--bad'], false],
  [['--pretty=x'], undefined],
  [['--prettyx'], undefined],
  [['x', '--', '--pretty'], undefined],
]
for (const [argv, pretty] of prettyLines)
  test(`--pretty is ${pretty} on the refused line ${JSON.stringify(argv)}`, () => {
    const parsed = parse(argv)
    assert.ok(E.isLeft(parsed))
    assert.is(parsed.left.passed.get('pretty'), pretty)
  })

test('finds the API keys on a refused line, even behind misspelt flags', () => {
  const keyFlags = ['--api-key', ' a ', '--api-key=b=c', '-api-key=d', '--apikey=e', '--key=f']
  const otherArguments = ['--noul=key=Is it?', '--api-keys-file=path', 'key=x']
  const lastKeyFlags = ['--api_key', 'g', '--api-key']
  const parsed = parse(['ask', ...keyFlags, ...otherArguments, ...lastKeyFlags])
  assert.ok(E.isLeft(parsed))
  assert.equal(parsed.left.secrets, ['a', 'b=c', 'd', 'e', 'f', 'g'])
})

test.run()
