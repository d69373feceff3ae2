import { suite } from 'uvu'
import type { FlagSpec } from '../../lib/cli/flags'
import { globalFlags, rootFlags } from '../../lib/cli/globals'
import { type MainResult, runMain } from '../main/run-main'
import { commands } from '../support/commands'
import * as fc from '../support/fast-check'
import { readRequestBody, startHttpServer } from '../support/servers'
import { checkRowsRun, checkRun, checkTableRun } from './check-run'
import { fuzz } from './fuzz'

const test = suite('fuzz: command lines')

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

/** Generates the words of one flag: `-n1`, `--name`, `--name=1` or `--name 1`. */
const generateFlag = ({ name, short, type }: FlagSpec): fc.Arbitrary<ReadonlyArray<string>> =>
  fc.tuple(fc.nat(7), flagValues[type]).map(([spelling, value]) => {
    if (spelling === 0 && short !== undefined) return [`-${short}${value}`]
    if (type === 'bool' && spelling > 2) return [`--${name}`]
    return spelling < 4 ? [`--${name}=${value}`] : [`--${name}`, value]
  })

/**
 * Flags that would end most runs early (`--help`, `--version`) or send requests elsewhere than to the server of
 * this test.
 */
const excludedFlags = ['help', 'version', 'base-url', 'trace']
const flagsOfEveryCommand: ReadonlyArray<FlagSpec> = [...globalFlags, ...rootFlags].filter(
  ({ name }) => name !== 'trace',
)

const argv = fc.constantFrom(...commands, undefined).chain((command) => {
  const flags = [...(command?.flags ?? []), ...flagsOfEveryCommand].filter(
    ({ name }) => !excludedFlags.includes(name),
  )
  const flagOrWord = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...flags).chain(generateFlag) },
    // These include the excluded flags, except for `--trace`.
    { weight: 1, arbitrary: fc.constantFrom(...flagsOfEveryCommand).chain(generateFlag) },
    { weight: 1, arbitrary: oddWord.map((word) => [word]) },
  )
  const name = command?.name.split(' ') ?? []
  const positionals = command?.positionals === undefined ? [] : ['bash', 'review', 'init', 'zsh']
  return fc
    .tuple(fc.array(flagOrWord, { maxLength: 5 }), fc.nat(5), fc.subarray(positionals))
    .map(([groups, nameAt, words]) =>
      [...groups.slice(0, nameAt), name, words, ...groups.slice(nameAt)].flat(),
    )
})

const service = await startHttpServer(async (incoming, reply) => {
  await readRequestBody(incoming)
  reply.end(response)
})
test.after(() => service.close())

const checkRunOf = (words: ReadonlyArray<string>, ended: MainResult): void => {
  const printsRows = ['batch', 'sample', 'mcp'].some((name) => words.includes(name))
  if (printsRows) checkRowsRun(ended)
  else if (words.includes('doctor')) checkTableRun(ended)
  else checkRun(ended)
}

test('no command line crashes svc', async () => {
  const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
  await fuzz(argv, 700, async (words) => {
    checkRunOf(words, await runMain({ argv: words, env, files, stdin: request }))
  })
})

test('no command line on a terminal crashes svc', async () => {
  const fetch = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
  await fuzz(argv, 200, async (words) => {
    checkRunOf(words, await runMain({ argv: words, tty: ['stdin'], fetch }))
  })
})

test.run()
