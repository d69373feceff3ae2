/**
 * Makes what the library ships besides its code: the declarations in one file, and the API page. Both are made from the
 * sources' doc comments and are checked in; `npm run api:update` writes them, and a test says whether they are current.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, temporaryFolder } from '../support/folders'

/** The entries of the package: what a program imports, the source, and the checked-in declarations. */
const entries = [
  {
    name: 'typed-questions',
    source: 'lib/library.ts',
    // The entry's own file comes first, then those with types that its declarations may use.
    files: [
      ...['library/client', 'library/batch', 'library/judge', 'library/results'],
      'library/environment',
      ...['library/questions', 'library/answers', 'library/settings', 'library/errors'],
      ...[
        'library/records',
        'client/providers/target',
        'client/dialects/dialect',
        'runtime/http/web-fetch',
      ],
      'failure/classify',
    ],
    declarations: 'lib/library/generated/library.d.ts',
  },
  {
    name: 'typed-questions/measure',
    source: 'lib/library/measure.ts',
    files: ['library/measure', 'library/records'],
    declarations: 'lib/library/generated/measure.d.ts',
  },
] as const

type Entry = (typeof entries)[number]

/** Where the API page is, from the root of the repository. */
const pagePath = 'lib/library/generated/API.md'

/** A declaration: its doc comment, its code, and the name that it declares. */
interface Declaration {
  readonly name: string
  readonly comment: string
  readonly code: string
}

/** Lets the compiler write the declarations of all files that the entries reach. Returns the folder that has them. */
const compileDeclarations = (): string => {
  const folder = temporaryFolder()
  const project = join(folder, 'tsconfig.json')
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, types: ['node'] },
    ...{ outDir: folder, rootDir: root, typeRoots: [join(root, 'node_modules/@types')] },
  }
  const config = {
    ...{ extends: join(root, 'tsconfig.json'), compilerOptions, include: [] },
    files: entries.map(({ source }) => join(root, source)),
  }
  writeFileSync(project, JSON.stringify(config))
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
  return folder
}

/** Splits a file of declarations into them. The compiler begins each, and its comment, at the start of a line. */
const splitDeclarations = (text: string): ReadonlyArray<Declaration> => {
  const parts = text.split(/^(?=\/\*\*)|^(?=(?:export|declare|type|interface|import) )/m)
  const found: Declaration[] = []
  let comment = ''
  for (const part of parts) {
    const code = part.replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
    const name = /^(?:export )?(?:declare )?(?:type|interface|class|const|function) (\w+)/.exec(
      code,
    )?.[1]
    if (name !== undefined) found.push({ name, comment, code: code.trim() })
    comment = part.startsWith('/**') && code.trim() === '' ? part.trim() : ''
  }
  return found
}

/** The names that an entry exports: those of its own, and those that it passes on. */
const exportedNames = ({ source }: Entry): ReadonlyArray<string> => {
  const text = readFileSync(join(root, source), 'utf8')
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.replace('type ', '').trim()),
  )
  const own = text.matchAll(/^export (?:async function\*|const|class|type|interface) (\w+)/gm)
  return [...[...own].map(([, name = '']) => name), ...passedOn].filter((name) => name !== '')
}

/** The exported declarations of an entry, and those that they need. */
const collectDeclarations = (entry: Entry, folder: string) => {
  const all = entry.files.flatMap((file) =>
    splitDeclarations(readFileSync(join(folder, 'lib', `${file}.d.ts`), 'utf8')),
  )
  const exported = new Set(exportedNames(entry))
  const needed = new Map<string, Declaration>()
  const need = (name: string): void => {
    const found = all.filter((one) => one.name === name)
    if (found.length === 0 || needed.has(name)) return
    if (found.length > 1) throw new Error(`${name} is declared ${found.length} times`)
    const [one] = found as [Declaration]
    needed.set(name, one)
    const code = one.code.replace(/\/\*\*[\s\S]*?\*\//g, '')
    for (const [word] of code.matchAll(/\b[A-Za-z]\w*\b/g)) need(word)
  }
  for (const name of exported) need(name)
  const lacking = [...exported].filter((name) => !needed.has(name))
  if (lacking.length > 0) throw new Error(`no file of the list declares ${lacking.join(', ')}`)
  return all
    .filter((one) => needed.get(one.name) === one)
    .map((one) => ({ ...one, isExported: exported.has(one.name) }))
}

/** A declaration's code, without the word that exports it. */
const plainCode = ({ code }: Declaration): string => code.replace(/^export /, '')

const writeDeclarations = (all: ReturnType<typeof collectDeclarations>): string => {
  const declared = all.map((one) => {
    const code = one.isExported ? `export ${plainCode(one)}` : plainCode(one)
    return [one.comment, code].filter((text) => text !== '').join('\n')
  })
  // Without the last line every declaration would count as exported.
  return `${declared.join('\n')}\nexport {}\n`
}

const writeSections = (all: ReturnType<typeof collectDeclarations>): ReadonlyArray<string> =>
  all
    .filter(({ isExported }) => isExported)
    .map((one) => {
      const words = one.comment.replace(/^\/\*\*|\*\/$|^ +\* ?/gm, '').trim()
      const code = plainCode(one).replace(/^declare /, '')
      return `### ${one.name}\n\n${words}\n\n\`\`\`ts\n${code}\n\`\`\`\n`
    })

const head =
  '# The API of the library\n\nMade from the doc comments by `npm run api:update`. `svc help library` is the guide.\n'

/** The texts of the files that are made, by their paths from the root of the repository. */
export const describeLibrary = (): ReadonlyMap<string, string> => {
  const folder = compileDeclarations()
  const made = entries.map((entry) => ({ ...entry, all: collectDeclarations(entry, folder) }))
  const sections = made.flatMap(({ name, all }) => [`## From \`${name}\`\n`, ...writeSections(all)])
  return new Map([
    ...made.map(({ declarations, all }) => [declarations, writeDeclarations(all)] as const),
    [pagePath, [head, ...sections].join('\n')],
  ])
}
