/** The build runs this to create the library's type declarations, in one file, and its API page, from the doc comments. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files that declare what the library exports, and the types that the exports use. The API page has this order. */
const declaringFiles: ReadonlyArray<string> = [
  'library/client',
  'library/batch',
  'library/packs',
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
  'failure/report',
]

/** A declaration, such as an interface or a function. */
interface Declaration {
  /** The name that it declares. */
  readonly name: string
  /** Its doc comment, with `/**`. Empty if it has none. */
  readonly comment: string
  readonly code: string
}

/** Creates the texts of the declarations and of the API page of the library. `root` is the folder of the project. */
export const describeLibrary = (
  root: string,
): { readonly declarations: string; readonly page: string } => {
  const allDeclarations = compileDeclarations(root).flatMap(splitDeclarations)
  const exportedNames = readExportedNames(root)
  const neededNames = findNeededNames(allDeclarations, exportedNames)
  const needed = allDeclarations.filter(({ name }) => neededNames.has(name))
  const exported = needed.filter(({ name }) => exportedNames.has(name))
  return {
    declarations: formatDeclarations(needed, exportedNames),
    page: formatPage(exported),
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

/** Matches the doc comment at the start of a chunk. */
const docComment = /^\/\*\*[\s\S]*?\*\/\n/

/** Matches the start of a declaration, up to its name: `export declare const createClient`. */
const declaredName = /^(?:export )?(?:declare )?(?:type|interface|class|const|function) (\w+)/

/** Splits the text of a `.d.ts` file into its declarations, each with its doc comment. */
const splitDeclarations = (text: string): ReadonlyArray<Declaration> => {
  const declarations: Declaration[] = []
  let comment = ''
  for (const chunk of text.split(chunkStart)) {
    const code = chunk.replace(docComment, '').trim()
    const name = declaredName.exec(code)?.[1]
    if (name !== undefined) declarations.push({ name, comment, code })
    // A chunk that is only a comment belongs to the next declaration.
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
  // A name may have `type` before it. The comma at the end of a list leaves an empty name.
  return new Set(names.map((name) => name.replace('type ', '').trim()).filter(Boolean))
}

/**
 * Returns the exported names and the names of all declarations that these use. Throws if an export has no declaration, or a name has
 * two.
 */
const findNeededNames = (
  allDeclarations: ReadonlyArray<Declaration>,
  exportedNames: ReadonlySet<string>,
): ReadonlySet<string> => {
  const neededNames = new Set<string>()
  // The loop also visits the names that it adds to this list.
  const pending = [...exportedNames]
  for (const name of pending) {
    if (neededNames.has(name)) continue
    const [declaration, ...others] = allDeclarations.filter((candidate) => candidate.name === name)
    if (declaration === undefined) {
      if (exportedNames.has(name)) throw new Error(`no declaring file has ${name}`)
      // Another word of the code, such as `string`.
      continue
    }
    if (others.length > 0) throw new Error(`${name} is declared twice`)
    neededNames.add(name)
    const codeWithoutComments = declaration.code.replace(/\/\*\*[\s\S]*?\*\//g, '')
    pending.push(...(codeWithoutComments.match(/\b[A-Za-z]\w*\b/g) ?? []))
  }
  return neededNames
}

/** Returns the code of a declaration without `export`, because a source may export declarations that the library does not export. */
const removeExport = ({ code }: Declaration): string => code.replace(/^export /, '')

const formatDeclarations = (
  declarations: ReadonlyArray<Declaration>,
  exportedNames: ReadonlySet<string>,
): string => {
  const texts = declarations.map((declaration) => {
    const { name, comment } = declaration
    const code = removeExport(declaration)
    const finalCode = exportedNames.has(name) ? `export ${code}` : code
    return comment === '' ? finalCode : `${comment}\n${finalCode}`
  })
  // Without `export {}` TypeScript would treat every declaration as exported.
  return `${texts.join('\n')}\nexport {}\n`
}

/** Formats the API page. Throws if a declaration has no doc comment. */
const formatPage = (declarations: ReadonlyArray<Declaration>): string => {
  const sections = declarations.map((declaration) => {
    const { name, comment } = declaration
    // Removes `/**`, `*/` and the `*` at the start of each line.
    const description = comment.replace(/^\/\*\*|\*\/$|^ +\* ?/gm, '').trim()
    if (description === '') throw new Error(`${name} has no doc comment`)
    const code = removeExport(declaration).replace(/^declare /, '')
    return `## ${name}\n\n${description}\n\n\`\`\`ts\n${code}\n\`\`\`\n`
  })
  const head = '# The API of typed-questions\n\n`svc help library` is the guide.\n'
  return [head, ...sections].join('\n')
}
