/**
 * Makes what the library ships besides its code: the declarations in one file, and the API page. Both are made from the
 * sources' doc comments and are checked in; `npm run api:update` writes them, and a test says whether they are current.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, temporaryFolder } from '../support/folders'

/** Where the two files are, from the root of the repository. */
export const paths = {
  declarations: 'lib/library/typed-questions.d.ts',
  page: 'lib/library/API.md',
} as const

/** The entry, and the files with types that its declarations may use. Names are unique among them. */
const files = [
  ...['library', 'library/client', 'library/batch', 'library/judge', 'library/results'],
  ...['library/questions', 'library/answers', 'library/settings'],
  ...['library/errors', 'provider/target', 'dialect/dialect', 'runtime/http/web-fetch'],
  'failure/classify',
] as const

/** A declaration: its doc comment, its code, and the name that it declares. */
interface Declaration {
  readonly name: string
  readonly comment: string
  readonly code: string
}

/** Lets the compiler write the declarations of the library's files. */
const compileDeclarations = (): ReadonlyMap<string, ReadonlyArray<Declaration>> => {
  const folder = temporaryFolder()
  const project = join(folder, 'tsconfig.json')
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, types: ['node'] },
    ...{ outDir: folder, rootDir: root, typeRoots: [join(root, 'node_modules/@types')] },
  }
  const config = {
    ...{ extends: join(root, 'tsconfig.json'), compilerOptions, include: [] },
    files: [join(root, 'lib/library.ts')],
  }
  writeFileSync(project, JSON.stringify(config))
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
  const read = (file: string) => readFileSync(join(folder, 'lib', `${file}.d.ts`), 'utf8')
  return new Map(files.map((file) => [file, splitDeclarations(read(file))]))
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

/** The names that the entry exports, in its order. */
const exportedNames = (): ReadonlyArray<string> =>
  [...readFileSync(join(root, 'lib/library.ts'), 'utf8').matchAll(/^export [^{]*\{([^}]*)\}/gm)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.replace('type ', '').trim())
    .filter((name) => name !== '')

/** The exported declarations, and those that they need. */
const collectDeclarations = () => {
  const all = [...compileDeclarations().values()].flat()
  const exported = new Set(exportedNames())
  const needed = new Map<string, Declaration>()
  const need = (name: string): void => {
    const found = all.filter((one) => one.name === name)
    if (found.length === 0 || needed.has(name)) return
    if (found.length > 1) throw new Error(`${name} is declared ${found.length} times`)
    const [one] = found as [Declaration]
    needed.set(name, one)
    for (const [word] of one.code.replace(/\/\*\*[\s\S]*?\*\//g, '').matchAll(/\b[A-Za-z]\w*\b/g))
      need(word)
  }
  for (const name of exported) need(name)
  const lacking = [...exported].filter((name) => !needed.has(name))
  if (lacking.length > 0) throw new Error(`no file of the list declares ${lacking.join(', ')}`)
  return all
    .filter((one) => needed.get(one.name) === one)
    .map((one) => ({ ...one, isExported: exported.has(one.name) }))
}

/** The declarations of the library as one file, and the page that describes what it exports. */
export const describeLibrary = () => {
  const all = collectDeclarations()
  const plain = ({ code }: Declaration) => code.replace(/^export /, '')
  const declared = all.map((one) => {
    const code = one.isExported ? `export ${plain(one)}` : plain(one)
    const isTyped = /^(?:export )?(?:declare|type|interface)/.test(code)
    return [one.comment, isTyped ? code : `declare ${code}`]
      .filter((text) => text !== '')
      .join('\n')
  })
  const sections = all
    .filter(({ isExported }) => isExported)
    .map((one) => {
      const words = one.comment.replace(/^\/\*\*|\*\/$|^ +\* ?/gm, '').trim()
      const code = plain(one).replace(/^declare /, '')
      return `## ${one.name}\n\n${words}\n\n\`\`\`ts\n${code}\n\`\`\`\n`
    })
  const head =
    '# The API of `typed-questions`\n\nMade from the doc comments by `npm run api:update`. `svc help library` is the guide.\n'
  return {
    // Without this line every declaration would count as exported.
    declarations: `${declared.join('\n')}\nexport {}\n`,
    page: [head, ...sections].join('\n'),
  }
}
