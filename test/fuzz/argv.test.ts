import { suite } from 'uvu'
import type { FlagSpec } from '../../lib/cli/flags'
import { globalFlags, rootFlags } from '../../lib/cli/globals'
import { run } from '../main/run'
import { commands } from '../support/commands'
import * as fc from '../support/fast-check'
import { bodyOf, httpServer } from '../support/servers'
import { checkRowsRun, checkRun, checkTableRun, fuzz } from './rules'

const test = suite('fuzz: command lines')

const request = '{"state":"s","questions":{"q":{"type":"noul"}}}'
const answer =
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.5}},"usage":null,"models":[{"name":"m"}]}'
const review = JSON.stringify({
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
  'svc-review.json': review,
  '/spec.md': '## A\ntext\n',
  '/a.ts': 'export const a = 1\n',
  '/binary': Buffer.from([0, 255, 254, 10, 128]),
  '/empty': '',
}

const junk = fc.oneof(
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
const some = (...list: ReadonlyArray<string>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...list) }, { weight: 1, arbitrary: junk })

/** Values by type, most of them good. */
const typed: Readonly<Record<FlagSpec['type'], fc.Arbitrary<string>>> = {
  string: some('-', 'debug', 'u', 'text', '/missing', '/folder', '@/binary', ...Object.keys(files)),
  strings: some('q=Is it?', 'r=Which?:a,b', 's=How?:a|b', 't=a=b:c: d , e', '__proto__=x:1|2'),
  bool: some('true', 'false', '1', 'F'),
  int: some('0', '1', '-1', '+3', '1000'),
  float: some('0', '0.5', '-1', '1e9', 'inf'),
  duration: some('0', '1s', '2m0s', '-1s', '1.5h', '3us'),
}

const flag = ({ name, short, type }: FlagSpec): fc.Arbitrary<ReadonlyArray<string>> =>
  fc.tuple(fc.nat(7), typed[type]).map(([form, value]) => {
    if (form === 0 && short !== undefined) return [`-${short}${value}`]
    if (type === 'bool' && form > 2) return [`--${name}`]
    return form < 4 ? [`--${name}=${value}`] : [`--${name}`, value]
  })

/** Help and version say little; other addresses and tracing are other tests' matter. */
const dull = ['help', 'version', 'base-url', 'trace']
const everywhere: ReadonlyArray<FlagSpec> = [...globalFlags, ...rootFlags].filter(
  ({ name }) => name !== 'trace',
)

const argv = fc.constantFrom(...commands, undefined).chain((command) => {
  const specs = [...(command?.flags ?? []), ...everywhere].filter(
    ({ name }) => !dull.includes(name),
  )
  const parts = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...specs).chain(flag) },
    { weight: 1, arbitrary: fc.constantFrom(...everywhere).chain(flag) },
    { weight: 1, arbitrary: junk.map((text) => [text]) },
  )
  const words = command?.name.split(' ') ?? []
  const rest = command?.positionals === undefined ? [] : ['bash', 'review', 'init', 'zsh']
  return fc
    .tuple(fc.array(parts, { maxLength: 5 }), fc.nat(5), fc.subarray(rest))
    .map(([given, at, more]) => [...given.slice(0, at), words, more, ...given.slice(at)].flat())
})

const service = await httpServer(async (incoming, response) => {
  await bodyOf(incoming)
  response.end(answer)
})
test.after(() => service.close())

/** The commands that print lines rather than one document: rows, and messages of a protocol. */
const printsRows = (words: ReadonlyArray<string>): boolean =>
  ['batch', 'sample', 'mcp'].some((name) => words.includes(name))

const rulesFor = (words: ReadonlyArray<string>) => {
  if (printsRows(words)) return checkRowsRun
  return words.includes('doctor') ? checkTableRun : checkRun
}

test('no command line crashes svc', async () => {
  const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
  await fuzz(argv, 700, async (words) => {
    rulesFor(words)(await run({ argv: words, env, files, stdin: request }))
  })
})

test('no command line on a terminal crashes svc', async () => {
  const fetch = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
  await fuzz(argv, 200, async (words) => {
    rulesFor(words)(await run({ argv: words, tty: ['stdin'], fetch }))
  })
})

test.run()
