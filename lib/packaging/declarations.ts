/** Run by the build: creates one file with the declarations of the library, and its API page from the doc comments. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files with the declarations of the library's exports and of the types that they use, in the order of the page. */
const files: ReadonlyArray<string> = [
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

/** A declaration: its doc comment, its code, and the name that it declares. */
interface Declaration {
  readonly name: string
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

/** Compiles the declarations. Returns the texts of the listed files. */
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
    return files.map((file) => readFileSync(join(folder, 'lib', `${file}.d.ts`), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Splits a file of declarations. The compiler begins each declaration, and its comment, at the start of a line. */
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

/** Returns the names in the export lists of `lib/library.ts`. */
const readExportedNames = (root: string): ReadonlySet<string> => {
  const text = readFileSync(join(root, 'lib/library.ts'), 'utf8')
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
  const names = lists.flatMap(([, list = '']) => list.split(','))
  return new Set(names.map((name) => name.replace('type ', '').trim()).filter(Boolean))
}

/** Returns the exported names and the names that their declarations use. Throws if a name has no declaration, or two. */
const findNeeded = (
  all: ReadonlyArray<Declaration>,
  exported: ReadonlySet<string>,
): ReadonlySet<string> => {
  const needed = new Set<string>()
  const pending = [...exported]
  for (const name of pending) {
    const [one, ...others] = all.filter((declaration) => declaration.name === name)
    if (one === undefined && exported.has(name)) throw new Error(`no file of the list has ${name}`)
    if (one === undefined || needed.has(name)) continue
    if (others.length > 0) throw new Error(`${name} is declared twice`)
    needed.add(name)
    pending.push(...(one.code.replace(/\/\*\*[\s\S]*?\*\//g, '').match(/\b[A-Za-z]\w*\b/g) ?? []))
  }
  return needed
}

const dropExport = ({ code }: Declaration): string => code.replace(/^export /, '')

const formatDeclarations = (
  declared: ReadonlyArray<Declaration>,
  exported: ReadonlySet<string>,
): string => {
  const texts = declared.map((one) => {
    const code = exported.has(one.name) ? `export ${dropExport(one)}` : dropExport(one)
    return one.comment === '' ? code : `${one.comment}\n${code}`
  })
  // Without `export {}` TypeScript would treat every declaration as exported.
  return `${texts.join('\n')}\nexport {}\n`
}

const formatPage = (declared: ReadonlyArray<Declaration>): string => {
  const sections = declared.map((one) => {
    const words = one.comment.replace(/^\/\*\*|\*\/$|^ +\* ?/gm, '').trim()
    if (words === '') throw new Error(`${one.name} has no doc comment`)
    return `## ${one.name}\n\n${words}\n\n\`\`\`ts\n${dropExport(one).replace(/^declare /, '')}\n\`\`\`\n`
  })
  const head = '# The API of typed-questions\n\n`svc help library` is the guide.\n'
  return [head, ...sections].join('\n')
}
