/** The build runs this to create the library's type declarations, in one file, and its API page, from the doc comments. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files that declare what the library exports, and the types that the exports use. The API page has this order. */
const declaringFiles: ReadonlyArray<string> = [
  'library/client',
  'library/batch',
  'library/judge',
  'library/results',
  'library/environment',
  'library/questions',
  'library/answers',
  'library/settings',
  'library/images',
  'library/errors',
  'library/records',
  'client/providers/provider-names',
  'client/dialects/dialect',
  'runtime/http/web-fetch',
  'failure/classify',
]

/** A declaration, such as an interface or a function. */
interface Declaration {
  /** The name that it declares. */
  readonly name: string
  /** Its doc comment, with `/**`. Empty if it has none. */
  readonly comment: string
  readonly code: string
}

/** Creates the declarations and the API page of the library. `root` is the folder of the project. */
export const describeLibrary = (
  root: string,
): { readonly declarations: string; readonly page: string } => {
  const all = compileDeclarations(root).flatMap(splitDeclarations)
  const exported = readExportedNames(root)
  const needed = findNeeded(all, exported)
  const declared = all.filter((one) => needed.has(one.name))
  return {
    declarations: formatDeclarations(declared, exported),
    page: formatPage(declared.filter(({ name }) => exported.has(name))),
  }
}

/** Compiles the library to declarations. Returns the `.d.ts` text of each declaring file. */
const compileDeclarations = (root: string): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-declarations-'))
  const config = {
    extends: join(root, 'tsconfig.json'),
    include: [],
    files: [join(root, 'lib/library.ts')],
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      rootDir: root,
      outDir: folder,
    },
  }
  try {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
    return declaringFiles.map((file) => readFileSync(join(folder, 'lib', `${file}.d.ts`), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Matches the start of a doc comment, and of a declaration. The compiler puts both at the start of a line. */
const chunkStart = /^(?=\/\*\*)|^(?=(?:export|declare|type|interface|import) )/m

const docComment = /^\/\*\*[\s\S]*?\*\/\n/

const declaredName = /^(?:export )?(?:declare )?(?:type|interface|class|const|function) (\w+)/

/** Splits the text of a `.d.ts` file into declarations. */
const splitDeclarations = (text: string): ReadonlyArray<Declaration> => {
  const declarations: Declaration[] = []
  let comment = ''
  for (const chunk of text.split(chunkStart)) {
    const code = chunk.replace(docComment, '').trim()
    const name = declaredName.exec(code)?.[1]
    if (name !== undefined) declarations.push({ name, comment, code })
    const isComment = chunk.startsWith('/**') && code === ''
    comment = isComment ? chunk.trim() : ''
  }
  return declarations
}

/** Returns the names in the export lists of `lib/library.ts`. */
const readExportedNames = (root: string): ReadonlySet<string> => {
  const text = readFileSync(join(root, 'lib/library.ts'), 'utf8')
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
  const names = lists.flatMap(([, list = '']) => list.split(','))
  return new Set(names.map((name) => name.replace('type ', '').trim()).filter(Boolean))
}

/** Returns the exported names and all names that their declarations use. Throws if an export has no declaration, or a name has two. */
const findNeeded = (
  all: ReadonlyArray<Declaration>,
  exported: ReadonlySet<string>,
): ReadonlySet<string> => {
  const needed = new Set<string>()
  const pending = [...exported]
  for (const name of pending) {
    if (needed.has(name)) continue
    const [declaration, ...others] = all.filter((one) => one.name === name)
    if (declaration === undefined) {
      if (exported.has(name)) throw new Error(`no declaring file has ${name}`)
      // A word of the code that is no name of a declaration.
      continue
    }
    if (others.length > 0) throw new Error(`${name} is declared twice`)
    needed.add(name)
    const codeWithoutComments = declaration.code.replace(/\/\*\*[\s\S]*?\*\//g, '')
    pending.push(...(codeWithoutComments.match(/\b[A-Za-z]\w*\b/g) ?? []))
  }
  return needed
}

const removeExport = ({ code }: Declaration): string => code.replace(/^export /, '')

const formatDeclarations = (
  declared: ReadonlyArray<Declaration>,
  exported: ReadonlySet<string>,
): string => {
  const texts = declared.map((one) => {
    const code = exported.has(one.name) ? `export ${removeExport(one)}` : removeExport(one)
    return one.comment === '' ? code : `${one.comment}\n${code}`
  })
  // Without `export {}` TypeScript would treat every declaration as exported.
  return `${texts.join('\n')}\nexport {}\n`
}

const formatPage = (declared: ReadonlyArray<Declaration>): string => {
  const sections = declared.map((one) => {
    // Removes `/**`, `*/` and the `*` at the start of each line.
    const description = one.comment.replace(/^\/\*\*|\*\/$|^ +\* ?/gm, '').trim()
    if (description === '') throw new Error(`${one.name} has no doc comment`)
    const code = removeExport(one).replace(/^declare /, '')
    return `## ${one.name}\n\n${description}\n\n\`\`\`ts\n${code}\n\`\`\`\n`
  })
  const head = '# The API of typed-questions\n\n`svc help library` is the guide.\n'
  return [head, ...sections].join('\n')
}
