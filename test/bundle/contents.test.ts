import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dialectNames } from '../../lib/client/dialects/dialect'
import { root } from '../support/folders'
import { type BuiltFile, builtFiles, dist, run } from '../support/program'
import { filesLoaded, reporter } from './files-loaded'

const test = suite('bundle: contents and size')
const outputs = builtFiles()

/** Checks if a chunk of this name holds a dialect. `questions` and `systemone` are in the part `call`. */
const isDialect = (name: string): boolean => dialectNames.some((dialect) => dialect === name)

/** The source that every run loads. */
const program = 'commands/program.ts'

/** The output that `source` is the lazy entry of, and everything it loads before it runs. */
const eager = (source: string): ReadonlyArray<readonly [string, BuiltFile]> => {
  const first = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source)?.[0]
  const seen = new Set(first === undefined ? [] : [first])
  for (const path of seen)
    for (const { path: next, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && next in outputs) seen.add(next)
  return Object.entries(outputs).filter(([path]) => seen.has(path))
}

const packages = (chunks: ReadonlyArray<readonly [string, BuiltFile]>): ReadonlyArray<string> => {
  const inputs = chunks.flatMap(([, output]) => Object.keys(output.inputs))
  const names = inputs.flatMap(
    (input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? [],
  )
  return [...new Set(names)].sort()
}

const size = (chunks: ReadonlyArray<readonly [string, BuiltFile]>): number =>
  chunks.reduce((sum, [, { bytes }]) => sum + bytes, 0)

const below = (what: string, bytes: number, limit: number): void =>
  assert.ok(bytes <= limit, `${what}: ${bytes} bytes, at most ${limit}`)

test('what loads before a command is chosen holds the command framework, outcomes and nothing else', () => {
  assert.equal(packages(eager(program)), ['cac', 'fastest-levenshtein', 'fp-ts'])
})

test('the eager part and the library are small', () => {
  below('the eager part', size(eager(program)), 107_000)
  below('the library', statSync(join(dist, 'library.mjs')).size, 170_000)
})

test('a call loads no telemetry, YAML, XML or server before it needs them', () => {
  const heavy =
    /^(@modelcontextprotocol\/|zod$|@opentelemetry\/|hono$|@hono\/|js-yaml$|fast-xml|prom-client$)/
  const loaded = packages(eager('part:call'))
  assert.ok(loaded.includes('io-ts'))
  below('a call without its HTTP client', size(eager('part:call')), 184_000)
  below('its HTTP client', size(eager('part:fetch')) - size(eager('part:call')), 30_000)
  assert.equal(
    loaded.filter((name) => heavy.test(name)),
    [],
  )
})

test('only the part of the services loads the SDK of their protocol and their metrics', () => {
  const parts = Object.values(outputs).flatMap(({ entryPoint = '' }) =>
    entryPoint.startsWith('part:') ? [entryPoint] : [],
  )
  assert.equal(parts.sort(), [
    'part:call',
    'part:commands',
    'part:decisions',
    'part:fetch',
    'part:gemini',
    'part:help',
    'part:proxy-agent',
    'part:services',
    'part:start-tracing',
  ])
  const services = /^(@modelcontextprotocol\/|prom-client$)/
  assert.equal(
    parts.filter((part) => packages(eager(part)).some((name) => services.test(name))),
    ['part:services'],
  )
})

test('the program is a few files', () => {
  below('chunks', readdirSync(join(dist, 'chunks')).length, 12)
})

test('the whole program is of bounded size', () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  const sizes = files.map((name) => statSync(join(dist, name)).size)
  below(
    'dist',
    sizes.reduce((sum, bytes) => sum + bytes),
    3_500_000,
  )
})

test('the entry is an executable script', () => {
  const path = join(dist, 'bin.js')
  assert.match(readFileSync(path, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  assert.is(statSync(path).mode & 0o111, 0o111)
})

/** The files that a dry run of `ask` loads with more arguments. */
const askFiles = async (...more: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const asked = ['ask', '--dry-run', '--state', 's', '--noul', 'q=Is it?', ...more]
  const { code, stderr } = await run(asked, { env: {}, node: ['--import', reporter] })
  assert.is(code, 0, stderr)
  return filesLoaded(stderr)
}

test('a call loads few files', async () => {
  const files = await askFiles()
  assert.is(files[0], 'bin.js')
  assert.ok(files.length <= 4, files.join())
})

for (const dialect of dialectNames)
  test(`a call in ${dialect} loads no other dialect`, async () => {
    const files = await askFiles('--dialect', dialect, '--model', 'm')
    const dialects = files.flatMap((name) => name.split('-').slice(0, 1)).filter(isDialect)
    assert.equal(
      dialects,
      ['decisions', 'gemini'].filter((name) => name === dialect),
    )
  })

test('no file names the folder in which it was built', () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  const paths = files.filter((name) => name.endsWith('.js')).map((name) => join(dist, name))
  assert.ok(paths.length > 5)
  for (const path of paths) assert.not(readFileSync(path, 'utf8').includes(root), path)
})

test('no development tool is bundled', () => {
  const tools =
    /^(msw|@modelcontextprotocol\/client|uvu|esbuild|tsx|typescript|fast-check|@typesafe-ai\/sdk)$/
  assert.equal(
    packages(Object.entries(outputs)).filter((name) => tools.test(name)),
    [],
  )
})

test('the notices carry a licence of every bundled package', () => {
  const notices = readFileSync(join(dist, 'THIRD_PARTY_NOTICES.txt'), 'utf8')
  const sections = notices.split(`\n${'-'.repeat(72)}\n\n`)
  for (const name of packages(Object.entries(outputs))) {
    const section = sections.find((text) => text.startsWith(`${name} `))
    assert.ok(
      section !== undefined && section.trim().split('\n').length >= 3,
      `a licence of ${name}`,
    )
  }
})

test('dist holds these files and no others', () => {
  const files = readdirSync(dist).sort()
  assert.equal(files, [
    'API.md',
    'THIRD_PARTY_NOTICES.txt',
    'bin.js',
    'chunks',
    'fixtures.json.gz',
    'label',
    'library.d.mts',
    'library.mjs',
    'library.mjs.map',
    'package.json',
    'svc-openapi.json',
    'svc-policy.schema.json',
    'svc-review.schema.json',
    'svc-scenario.schema.json',
  ])
})

test.run()
