/**
 * The arrows of CONTRIBUTING.md: who may import whom. Imports of types and lazy ones count like all others, with one
 * exception: a command's declaration loads its work, which takes the types of its flags from the declaration. And how
 * large a folder may be.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from './support/folders'

const test = suite('imports')

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const files = ['lib', 'commands'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

const importsOf = (file: string): ReadonlySet<string> => {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(/(?:\bfrom |\bimport[ (])'(\.[^']+)'/g)
  const paths = [...found].map(([, path = '']) => join(dirname(file), path))
  const isWork = (path: string) => dirname(file) === 'commands' && path.startsWith('commands/run/')
  return new Set(
    paths
      .map((path) => `${path}.ts`)
      .filter((path) => !isWork(path) && existsSync(join(root, path))),
  )
}

const imports: Graph = new Map(files.map((file) => [file, importsOf(file)]))

/** `lib/client/call`, `lib/cli`, or `commands`. */
const roomOf = (file: string): string => {
  const divided = /^lib\/(client|runs|codec|failure|measure)\//.test(file)
  return dirname(file)
    .split('/')
    .slice(0, divided ? 3 : file.startsWith('lib/') ? 2 : 1)
    .join('/')
}

/** Which groups of files import which others. */
const graphOf = (group: (file: string) => string): Graph =>
  new Map(
    [...new Set(files.map(group))].map((name) => {
      const own = files.filter((file) => group(file) === name)
      const others = own.flatMap((file) => [...(imports.get(file) ?? [])].map(group))
      return [name, new Set(others.filter((other) => other !== name))]
    }),
  )

const rooms = graphOf(roomOf)

/** What is left when everything that leads to nothing else has been taken away again and again. */
const circles = (graph: Graph): ReadonlyArray<string> => {
  const left = new Set(graph.keys())
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const one of left)
      if (![...(graph.get(one) ?? [])].some((other) => left.has(other))) left.delete(one)
  }
  return [...left]
}

test('no two files import each other, in however many steps', () => {
  assert.ok([...imports.values()].some((paths) => paths.size > 0))
  assert.equal(circles(imports), [])
})

/** The rooms from the top floor down. */
const floors = [
  ...[
    'commands',
    'lib/cli',
    'lib/mcp',
    'lib/library.ts',
    'lib/library',
    'lib/label',
    'lib/service',
  ],
  ...['lib/review', 'lib/measure', 'lib/runs', 'lib/packaging', 'lib/replay', 'lib/client'],
  ...['lib/codec', 'lib/tracing', 'lib/help', 'lib/failure', 'lib/runtime'],
]

const floorOf = (file: string): number =>
  floors.indexOf(file.startsWith('lib/') ? file.split('/').slice(0, 2).join('/') : 'commands')

test('a room imports only from rooms below it', () => {
  const upward = [...imports].flatMap(([file, paths]) =>
    [...paths].filter((path) => floorOf(path) < floorOf(file)).map((path) => `${file} → ${path}`),
  )
  assert.equal(upward, [])
  assert.ok(files.every((file) => floorOf(file) >= 0))
})

test('nor do two rooms', () => {
  assert.equal(circles(rooms), [])
})

test('nor do two folders of the service', () => {
  const folders = graphOf((file) =>
    file.startsWith('lib/service/') ? dirname(file) : roomOf(file),
  )
  assert.ok([...folders.keys()].includes('lib/service/contract'))
  assert.equal(circles(folders), [])
})

test('nothing in lib imports a command', () => {
  for (const [room, others] of rooms) assert.is(others.has('commands'), false, room)
})

test('no two files export types of the same name', () => {
  const homes = new Map<string, ReadonlyArray<string>>()
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /^export (?:abstract )?(?:interface|type|class) (\w+)/gm,
    ))
      homes.set(name, [...(homes.get(name) ?? []), file])
  assert.ok(homes.has('RequestQuestion'))
  assert.equal(
    [...homes].filter(([, paths]) => paths.length > 1),
    [],
  )
})

test('a folder has at most 25 files, so that its list is read at a glance', () => {
  for (const folder of new Set(files.map(dirname)))
    assert.ok(files.filter((file) => dirname(file) === folder).length <= 25, folder)
})

test.run()
