import { suite } from 'uvu'
import type { FlagSpec } from '../../lib/cli/flags'
import { globalFlags, rootFlags } from '../../lib/cli/globals'
import { type MainResult, runMain } from '../main/run-main'
import { commands } from '../support/commands'
import * as fc from '../support/fast-check'
import { readRequestBody, startHttpServer } from '../support/servers'
import { assertDocumentRun, assertRowsRun, assertTableRun } from './check-run'
import { fuzz } from './fuzz'

const test = suite('fuzz: command lines')

/** A request with a yes/no question (a `noul`). */
const request = '{"state":"s","questions":{"q":{"type":"noul"}}}'
const response =
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.5}},"usage":null,"models":[{"name":"m"}]}'
const reviewConfig = JSON.stringify({
  spec: '/spec.md',
  units: [
    {
      name: 'u',
      spec_heading: '## A',
      behaviors: ['does a'],
      implementation: ['/a.ts'],
      tests: ['/missing'],
    },
  ],
})
const files = {
  '/request.json': request,
  'svc-review.json': reviewConfig,
  '/spec.md': '## A\ntext\n',
  '/a.ts': 'export const a = 1\n',
  '/binary': Buffer.from([0, 255, 254, 10, 128]),
  '/empty': '',
}

/** Words that few flags accept. */
const oddWord = fc.oneof(
  fc.constantFrom(
    '-',
    '--',
    '',
    ' ',
    '=x',
    ' =x',
    'q=x:',
    'q=:a',
    'q=How?:a',
    'q',
    '@',
    'a\0b',
    '0x1',
    'NaN',
    '999999999999999999999',
    '9223372036854775808ns',
    '--no',
    '-hv',
    '-f-',
    '--pretty=maybe',
  ),
  fc.string({ unit: fc.anyCharacter, maxLength: 8 }),
)

/** Picks one of the words, or an odd word in one of 6 cases. */
const pickWord = (...words: ReadonlyArray<string>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: oddWord })

const flagValues: Readonly<Record<FlagSpec['type'], fc.Arbitrary<string>>> = {
  string: pickWord(
    '-',
    'debug',
    'u',
    'text',
    '/missing',
    '/folder',
    '@/binary',
    ...Object.keys(files),
  ),
  strings: pickWord('q=Is it?', 'r=Which?:a,b', 's=How?:a|b', 't=a=b:c: d , e', '__proto__=x:1|2'),
  bool: pickWord('true', 'false', '1', 'F'),
  int: pickWord('0', '1', '-1', '+3', '1000'),
  float: pickWord('0', '0.5', '-1', '1e9', 'inf'),
  duration: pickWord('0', '1s', '2m0s', '-1s', '1.5h', '3us'),
}

/** Generates the words of one flag: `--name=1`, `--name 1` (for a boolean flag `--name`) or `-n1`. */
const generateFlag = ({ name, short, type }: FlagSpec): fc.Arbitrary<ReadonlyArray<string>> =>
  flagValues[type].chain((value) => {
    const spellings = [[`--${name}=${value}`]]
    spellings.push(type === 'bool' ? [`--${name}`] : [`--${name}`, value])
    if (short !== undefined) spellings.push([`-${short}${value}`])
    return fc.constantFrom(...spellings)
  })

/** `--trace` would send spans elsewhere than to the server of this test. */
const flagsOfEveryCommand: ReadonlyArray<FlagSpec> = [...globalFlags, ...rootFlags].filter(
  ({ name }) => name !== 'trace',
)

/** Flags that are rare, because they end a run early, or send its requests elsewhere than to the server of this test. */
const rareFlags = ['help', 'version', 'base-url']

/** A flag that is left out: it writes real folders, below the working folder of this test. */
const writingFlag = 'record'

/** Generates command lines with up to five flags or odd words. Some have no command. */
const commandLine = fc.constantFrom(...commands, undefined).chain((command) => {
  const flags = [...(command?.flags ?? []), ...flagsOfEveryCommand].filter(
    ({ name }) => !rareFlags.includes(name) && name !== writingFlag,
  )
  const flagOrWord = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...flags).chain(generateFlag) },
    // Among these are the rare flags.
    { weight: 1, arbitrary: fc.constantFrom(...flagsOfEveryCommand).chain(generateFlag) },
    { weight: 1, arbitrary: oddWord.map((word) => [word]) },
  )
  const nameWords = command?.name.split(' ') ?? []
  const positionals = command?.positionals === undefined ? [] : ['bash', 'review', 'init', 'zsh']
  return fc
    .tuple(fc.array(flagOrWord, { maxLength: 5 }), fc.nat(5), fc.subarray(positionals))
    .map(([groups, namePosition, args]) =>
      [...groups.slice(0, namePosition), nameWords, args, ...groups.slice(namePosition)].flat(),
    )
})

const service = await startHttpServer(async (incoming, reply) => {
  await readRequestBody(incoming)
  reply.end(response)
})
test.after(() => service.close())

/** Checks a run by the rules for the output of its command. */
const assertCommandRun = (argv: ReadonlyArray<string>, result: MainResult): void => {
  const printsRows = ['batch', 'sample', 'mcp'].some((name) => argv.includes(name))
  if (printsRows) assertRowsRun(result)
  else if (argv.includes('doctor')) assertTableRun(result)
  else assertDocumentRun(result)
}

test('no command line crashes svc', async () => {
  const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
  await fuzz(commandLine, { inputCount: 700 }, async (argv) => {
    assertCommandRun(argv, await runMain({ argv, env, files, stdin: request }))
  })
})

test('no command line on a terminal crashes svc', async () => {
  const fetch = () => Promise.reject(Object.assign(new Error('offline'), { code: 'ENOTFOUND' }))
  await fuzz(commandLine, { inputCount: 200 }, async (argv) => {
    assertCommandRun(argv, await runMain({ argv, tty: ['stdin'], fetch }))
  })
})

test.run()
