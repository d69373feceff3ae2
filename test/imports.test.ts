/**
 * Checks the imports between files and between rooms, unique names, and the size of folders. A room is a folder of `lib`, such as
 * `lib/cli`, or the folder `commands`. Imports of types and lazy imports count too. The only exception is the import of
 * `commands/run/<name>`, the implementation of a command, by its declaration.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from './support/folders'

const test = suite('imports')

/** Files or groups of files, each with those that it imports. */
type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>

const listSourceFiles = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))

/** The source files of the program, by their paths in the project. */
const files = [...listSourceFiles('lib'), ...listSourceFiles('commands')]

/** The text of each file. */
const texts: ReadonlyMap<string, string> = new Map(
  files.map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)

/** Matches the paths in `… from './a'`, `import './a'` and `import('./a')`. */
const importedPath = /(?:\bfrom |\bimport[ (])'(\.[^']+)'/g

/** Lists the files of the project that a file imports. */
const listImports = (file: string): ReadonlySet<string> => {
  const folder = dirname(file)
  const matches = (texts.get(file) ?? '').matchAll(importedPath)
  const imports = new Set<string>()
  for (const [, path = ''] of matches) {
    const imported = `${join(folder, path)}.ts`
    const isImplementationOfCommand = folder === 'commands' && imported.startsWith('commands/run/')
    if (!isImplementationOfCommand && existsSync(join(root, imported))) imports.add(imported)
  }
  return imports
}

const fileImports: ImportGraph = new Map(files.map((file) => [file, listImports(file)]))

/** Groups the files of the graph by a name. Group A imports group B if a file in A imports a file in B. */
const groupImports = (findGroup: (file: string) => string): ImportGraph => {
  const groups = new Map<string, Set<string>>()
  for (const [file, imports] of fileImports) {
    const group = findGroup(file)
    const importedGroups = groups.get(group) ?? new Set()
    for (const imported of imports) importedGroups.add(findGroup(imported))
    importedGroups.delete(group)
    groups.set(group, importedGroups)
  }
  return groups
}

/** The rooms of lib whose subfolders are checked for cycles as rooms of their own. */
const dividedRooms = ['client', 'runs', 'codec', 'measure']

/** Returns the room of a file, such as `commands`, `lib/cli` or, in a divided room, `lib/client/call`. */
const findRoom = (file: string): string => {
  const folders = dirname(file).split('/')
  const [top, room = ''] = folders
  if (top !== 'lib') return 'commands'
  return folders.slice(0, dividedRooms.includes(room) ? 3 : 2).join('/')
}

const roomImports = groupImports(findRoom)

/**
 * Lists the nodes of a graph that are on a cycle or lead to one. Repeatedly removes the nodes that import no remaining
 * node, until every remaining node imports one.
 */
const listNodesReachingCycles = (graph: ImportGraph): ReadonlyArray<string> => {
  let remaining = [...graph.keys()]
  while (true) {
    const importsRemainingNode = (node: string) =>
      remaining.some((other) => graph.get(node)?.has(other))
    const importers = remaining.filter(importsRemainingNode)
    if (importers.length === remaining.length) return remaining
    remaining = importers
  }
}

test('no files import each other in a cycle', () => {
  // If `listImports` found no imports at all, the next check would pass too.
  assert.ok([...fileImports.values()].some((imports) => imports.size > 0))
  assert.equal(listNodesReachingCycles(fileImports), [])
})

test('no rooms import each other in a cycle', () => {
  assert.equal(listNodesReachingCycles(roomImports), [])
})

test('no folders of the service import each other in a cycle', () => {
  const folderImports = groupImports((file) =>
    file.startsWith('lib/service/') ? dirname(file) : findRoom(file),
  )
  assert.ok(folderImports.has('lib/service/contract'))
  assert.equal(listNodesReachingCycles(folderImports), [])
})

/** The rooms, from top to bottom. A room may import only from rooms below it. */
const roomsFromTop = [
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
  'lib/text',
  'lib/runtime',
]

/** Returns the level of a file's room: its index in `roomsFromTop`; -1 if the room is not listed there. */
const findLevel = (file: string): number => {
  const [top = '', room = ''] = file.split('/')
  return roomsFromTop.indexOf(top === 'lib' ? `lib/${room}` : 'commands')
}

test('every file is in a room', () => {
  assert.equal(
    files.filter((file) => findLevel(file) < 0),
    [],
  )
})

test('a room imports only from rooms below it', () => {
  const upwardImports: string[] = []
  for (const [file, imports] of fileImports)
    for (const imported of imports)
      if (findLevel(imported) < findLevel(file)) upwardImports.push(`${file} → ${imported}`)
  assert.equal(upwardImports, [])
})

test('no two files export the same name', () => {
  const exportPattern =
    /^export (?:abstract |async )*(?:interface|type|class|const|let|function\*?) (\w+)/gm
  const filesByName = new Map<string, Set<string>>()
  for (const [file, text] of texts)
    for (const [, name = ''] of text.matchAll(exportPattern)) {
      const exporters = filesByName.get(name) ?? new Set()
      filesByName.set(name, exporters.add(file))
    }
  assert.ok(filesByName.has('RequestQuestion'))
  assert.ok(filesByName.has('decodeRequest'))
  const repeatedNames = [...filesByName].filter(([, exporters]) => exporters.size > 1)
  assert.equal(
    repeatedNames.map(([name, exporters]) => [name, ...exporters]),
    [],
  )
})

for (const folder of new Set(files.map(dirname)))
  test(`${folder} has at most 25 files, so that you can read its list at a glance`, () => {
    assert.ok(files.filter((file) => dirname(file) === folder).length <= 25)
  })

test.run()
