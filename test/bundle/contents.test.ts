import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dialectNames } from '../../lib/client/dialects/dialect'
import { root } from '../support/folders'
import { type BuiltFile, distFolder, readBuiltFiles, runProgram } from '../support/program'
import { parseLoadedFiles, reportLoadedFiles } from './files-loaded'

const test = suite('bundle/contents')

/** Files that the build wrote. */
type Chunks = ReadonlyArray<BuiltFile>

/** The files that the build wrote, by path. */
const builtFiles = readBuiltFiles()

/** The entry point that every run loads. */
const programSource = 'commands/program.ts'

/** Lists the file with this entry point, and all files that it loads before it runs, by static imports. */
const listLoadedChunks = (entryPoint: string): Chunks => {
  const paths = new Set<string>()
  for (const [path, file] of Object.entries(builtFiles))
    if (file.entryPoint === entryPoint) paths.add(path)
  // The loop also visits the paths that it adds.
  for (const path of paths)
    for (const { path: imported, kind } of builtFiles[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in builtFiles) paths.add(imported)
  return Object.entries(builtFiles)
    .filter(([path]) => paths.has(path))
    .map(([, file]) => file)
}

/** Lists the names of the packages in these files, sorted. */
const listPackages = (chunks: Chunks): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const file of chunks)
    for (const input of Object.keys(file.inputs)) {
      // The name after the last `node_modules`, such as `hono` or `@hono/node-server`.
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
      if (name !== undefined) names.add(name)
    }
  return [...names].sort()
}

const allPackages = listPackages(Object.values(builtFiles))

const sumBytes = (chunks: Chunks): number => chunks.reduce((sum, { bytes }) => sum + bytes, 0)

/** Fails if a size is over its limit. The limits are a little above the sizes of today, to notice growth. */
const checkSize = (name: string, size: number, maxSize: number): void =>
  assert.ok(size <= maxSize, `${name}: ${size}, at most ${maxSize}`)

/** Lists the files and folders below `dist`. */
const listDist = (): ReadonlyArray<string> =>
  readdirSync(distFolder, { recursive: true, encoding: 'utf8' })

test('the start of the program contains only three packages', () => {
  const packages = listPackages(listLoadedChunks(programSource))
  assert.equal(packages, ['cac', 'fastest-levenshtein', 'fp-ts'])
})

test('the start of the program and the library are small', () => {
  checkSize('bytes of the start', sumBytes(listLoadedChunks(programSource)), 123_000)
  checkSize('bytes of the library', statSync(join(distFolder, 'library.mjs')).size, 210_000)
})

test('a call is small, and loads no telemetry, YAML, XML, MCP or server', () => {
  const callChunks = listLoadedChunks('part:call')
  const httpClientChunks = listLoadedChunks('part:fetch')
  checkSize('bytes of a call', sumBytes(callChunks), 226_000)
  checkSize('bytes of the HTTP client', sumBytes(httpClientChunks) - sumBytes(callChunks), 30_000)
  const sources = callChunks.flatMap(({ inputs }) => Object.keys(inputs))
  assert.equal(
    sources.filter((source) => source.startsWith('lib/service/')),
    [],
  )
  const packages = listPackages(callChunks)
  assert.ok(packages.includes('io-ts'))
  const unneeded =
    /^(@modelcontextprotocol\/|zod$|@opentelemetry\/|hono$|@hono\/|js-yaml$|fast-xml|prom-client$)/
  assert.equal(
    packages.filter((name) => unneeded.test(name)),
    [],
  )
})

test('the program has thirteen parts, and only `services` loads MCP and metrics', () => {
  const parts = Object.values(builtFiles)
    .map(({ entryPoint = '' }) => entryPoint)
    .filter((entryPoint) => entryPoint.startsWith('part:'))
  assert.equal(parts.sort(), [
    'part:call',
    'part:commands',
    'part:confine',
    'part:decisions',
    'part:decode-zstd',
    'part:engines',
    'part:fetch',
    'part:gemini',
    'part:help',
    'part:open-browser',
    'part:proxy-agent',
    'part:services',
    'part:start-tracing',
    'part:terminal',
  ])
  const servicePackage = /^(@modelcontextprotocol\/|prom-client$)/
  const partsWithServicePackages = parts.filter((part) =>
    listPackages(listLoadedChunks(part)).some((name) => servicePackage.test(name)),
  )
  assert.equal(partsWithServicePackages, ['part:services'])
})

test('the program has at most 26 chunks', () => {
  checkSize('chunks', readdirSync(join(distFolder, 'chunks')).length, 26)
})

test('dist has at most 7.6 MB', () => {
  const sizes = listDist().map((name) => statSync(join(distFolder, name)).size)
  checkSize(
    'bytes of dist',
    sizes.reduce((sum, bytes) => sum + bytes),
    7_600_000,
  )
})

test('bin.js is an executable script', () => {
  const path = join(distFolder, 'bin.js')
  assert.match(readFileSync(path, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  assert.is(statSync(path).mode & 0o111, 0o111)
})

/** Makes a dry run of `ask` with a yes/no question (a `noul`). Returns the names of the files that it loads, in order. */
const listAskFiles = async (...flags: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const args = ['ask', '--dry-run', '--state', 's', '--noul', 'q=Is it?', ...flags]
  const { code, stderr } = await runProgram(args, {
    env: {},
    nodeArgs: ['--import', reportLoadedFiles],
  })
  assert.is(code, 0, stderr)
  return parseLoadedFiles(stderr)
}

test('a call loads at most four files, bin.js first', async () => {
  const files = await listAskFiles()
  assert.is(files[0], 'bin.js')
  assert.ok(files.length <= 4, files.join())
})

/** The dialects that are parts of the program. The part `call` contains the others. */
const dialectParts = ['decisions', 'gemini']

for (const dialect of dialectNames)
  test(`a call in ${dialect} loads no other dialect`, async () => {
    const files = await listAskFiles('--dialect', dialect, '--model', 'm')
    // A chunk has the name of its part: `gemini-OBTT6GY7.js`.
    const parts = files.map((name) => name.split('-')[0] ?? '')
    assert.equal(
      parts.filter((part) => dialectParts.includes(part)),
      dialectParts.filter((part) => part === dialect),
    )
  })

test('no file contains the path of the folder in which it was built', () => {
  const scripts = listDist().filter((name) => name.endsWith('.js'))
  assert.ok(scripts.length > 5)
  for (const name of scripts)
    assert.not(readFileSync(join(distFolder, name), 'utf8').includes(root), name)
})

test('no development tool is bundled', () => {
  const tools =
    /^(msw|@modelcontextprotocol\/client|uvu|esbuild|tsx|typescript|fast-check|@typesafe-ai\/sdk)$/
  assert.equal(
    allPackages.filter((name) => tools.test(name)),
    [],
  )
})

test('THIRD_PARTY_NOTICES.txt has a licence of every bundled package', () => {
  const notices = readFileSync(join(distFolder, 'THIRD_PARTY_NOTICES.txt'), 'utf8')
  // Lines of 72 hyphens separate the sections.
  const sections = notices.split(`\n${'-'.repeat(72)}\n\n`)
  for (const name of allPackages) {
    const section = sections.find((text) => text.startsWith(`${name} `)) ?? ''
    // The first line is the title, the second one is empty, and the licence begins in the third one.
    assert.ok(section.trim().split('\n').length >= 3, `a licence of ${name}`)
  }
})

test('THIRD_PARTY_NOTICES.txt has the licence of what the labelling page contains', () => {
  const notices = readFileSync(join(distFolder, 'THIRD_PARTY_NOTICES.txt'), 'utf8')
  assert.match(notices, /^preact \d+\.\d+\.\d+ \(MIT\)\n\nThe MIT License/m)
})

test('THIRD_PARTY_NOTICES.txt has the licences of the works that the table of vectors was made from', () => {
  const notices = readFileSync(join(distFolder, 'THIRD_PARTY_NOTICES.txt'), 'utf8')
  assert.match(notices, /^BAAI\/bge-small-en-v1\.5 \(MIT\)\n\nMIT License\n\nCopyright/m)
  assert.match(
    notices,
    /^sentence-transformers\/all-MiniLM-L6-v2, .*\(Apache-2\.0\)\n\nApache License/m,
  )
  assert.match(notices, /^WordNet 3\.1 \(WordNet\)\n\nThis software and database/m)
})

test('a call loads no code of the embedded engine', () => {
  const sources = listLoadedChunks('part:call').flatMap(({ inputs }) => Object.keys(inputs))
  assert.equal(
    sources.filter((path) => path.includes('engines/embedded')),
    [],
  )
})

test('dist has these files and no others', () => {
  assert.equal(readdirSync(distFolder).sort(), [
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
    'svc-embedded-1.bin',
    'svc-model.schema.json',
    'svc-openapi.json',
    'svc-policy.schema.json',
    'svc-review.schema.json',
    'svc-scenario.schema.json',
  ])
})

test.run()
