/**
 * Checks the imports between rooms and files, unique names, and the size of folders. Imports of types and lazy imports count
 * too, except that of `commands/run/<name>` in a command's declaration.
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
  const isOwnWork = (path: string) =>
    dirname(file) === 'commands' && path.startsWith('commands/run/')
  return new Set(
    paths
      .map((path) => `${path}.ts`)
      .filter((path) => !isOwnWork(path) && existsSync(join(root, path))),
  )
}

const imports: Graph = new Map(files.map((file) => [file, importsOf(file)]))

/** Returns the room of a file, such as `lib/client/call`, `lib/cli` or `commands`. */
const roomOf = (file: string): string => {
  const divided = /^lib\/(client|runs|codec|failure|measure)\//.test(file)
  return dirname(file)
    .split('/')
    .slice(0, divided ? 3 : file.startsWith('lib/') ? 2 : 1)
    .join('/')
}

/** Groups the files, and returns which groups each group imports. */
const groupImports = (groupOf: (file: string) => string): Graph => {
  const graph = new Map<string, Set<string>>()
  for (const [file, paths] of imports) {
    const group = groupOf(file)
    const imported = graph.get(group) ?? new Set()
    for (const path of paths) if (groupOf(path) !== group) imported.add(groupOf(path))
    graph.set(group, imported)
  }
  return graph
}

const rooms = groupImports(roomOf)

/**
 * Finds the nodes of a graph that are on a circle or lead to one. It removes each node without edges to remaining nodes, until
 * no more can be removed.
 */
const findCircles = (graph: Graph): ReadonlyArray<string> => {
  const remaining = new Set(graph.keys())
  for (let before = -1; before !== remaining.size; ) {
    before = remaining.size
    for (const node of remaining) {
      const hasEdge = [...(graph.get(node) ?? [])].some((other) => remaining.has(other))
      if (!hasEdge) remaining.delete(node)
    }
  }
  return [...remaining]
}

test('no files import each other in a circle', () => {
  assert.ok([...imports.values()].some((paths) => paths.size > 0))
  assert.equal(findCircles(imports), [])
})

/** The rooms from the top floor down. */
const floors = [
  'commands',
  'lib/cli',
  'lib/mcp',
  'lib/library.ts',
  'lib/library',
  'lib/label',
  'lib/service',
  'lib/review',
  'lib/measure',
  'lib/runs',
  'lib/packaging',
  'lib/replay',
  'lib/client',
  'lib/codec',
  'lib/tracing',
  'lib/help',
  'lib/failure',
  'lib/runtime',
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

test('no rooms import each other in a circle', () => {
  assert.equal(findCircles(rooms), [])
})

test('no folders of the service import each other in a circle', () => {
  const folders = groupImports((file) =>
    file.startsWith('lib/service/') ? dirname(file) : roomOf(file),
  )
  assert.ok([...folders.keys()].includes('lib/service/contract'))
  assert.equal(findCircles(folders), [])
})

test('nothing in lib imports a command', () => {
  for (const [room, others] of rooms) assert.is(others.has('commands'), false, room)
})

test('no two files export the same name', () => {
  const homes = new Map<string, Set<string>>()
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /^export (?:abstract |async )*(?:interface|type|class|const|let|function\*?) (\w+)/gm,
    ))
      homes.set(name, (homes.get(name) ?? new Set()).add(file))
  assert.ok(homes.has('RequestQuestion') && homes.has('decodeRequest'))
  const repeated = Array.from(homes, ([name, paths]) => [name, ...paths])
  assert.equal(
    repeated.filter((entry) => entry.length > 2),
    [],
  )
})

test('a folder has at most 25 files, so that its list is read at a glance', () => {
  for (const folder of new Set(files.map(dirname)))
    assert.ok(files.filter((file) => dirname(file) === folder).length <= 25, folder)
})

test.run()
