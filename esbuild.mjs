/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`. Packages are bundled, so that an installed
 * svc needs nothing but Node. The steps:
 *
 * 1. Build `program.js` and the parts of the program, which load when they are needed.
 * 2. Build `bin.js`, the file that Node runs. It looks at the Node it runs on, and loads the program.
 * 3. Build `library.mjs` and `measure.mjs`, what a program imports.
 * 4. Copy the JSON schemas, and write the manual pages, the examples and the licences of the bundled packages.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build, transform } from 'esbuild'

const root = import.meta.dirname
const options = { outdir: { type: 'string', default: 'dist' }, metafile: { type: 'string' } }
const { values } = parseArgs({ options })
const outdir = resolve(values.outdir)

const manifest = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'))

/** What a git command prints, `''` where there is no git or no repository. */
const git = (...args) =>
  (spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? '').trim()

/** What the program knows about its own build, as JSON. `lib/cli/build.ts` decides which of it `svc version` tells (D25). */
const buildInfo = () => {
  const ours = relative(root, git('rev-parse', '--show-toplevel') || dirname(root)) === ''
  const publishing = ['pack', 'publish'].includes(process.env.npm_command)
  return JSON.stringify({
    version: process.env.SVC_VERSION || 'dev',
    commit: process.env.SVC_COMMIT || 'none',
    moduleVersion: publishing ? manifest.version : '(devel)',
    revision: ours ? git('rev-parse', 'HEAD') : '',
    modified: ours && git('status', '--porcelain') !== '',
  })
}

/**
 * The parts of the program, and the files that each of them holds. A lazy import, `import('./run/ask')`, loads the part
 * with that file. Parts are few, since Node takes 0.3 ms to find and read a file, and people read the list of an installed
 * package. A part exports what its files export, so no two of these may export the same name.
 */
const parts = {
  call: /^commands.(program|run.ask|run.models)\.|dialect.(questions|systemone|answers|contents|failures)|provider.table|cli.key-file|json.output/,
  fetch: /http.(fetch|proxy-agent)/,
  decisions: /dialect.decisions\./,
  gemini: /dialect.gemini\./,
  tracing: /telemetry.set-up/,
  help: /^commands.run.(help|completion)\.|cli.help|help.topics\./,
  rows: /^commands.run.(batch|calibrate|compare|doctor|eval|gate|init|sample|select)\.|ask.(answer-table|permute)|gate.requirements|policy.load|node.output-file/,
  services: /^commands.run.(fixtures|mcp|review|serve)\.|review.load-config/,
}
const sources = ['commands', 'lib'].flatMap((folder) =>
  fs.readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
)
const listFiles = (part) => sources.filter((file) => file.endsWith('.ts') && parts[part].test(file))

/**
 * Makes the parts. esbuild makes a file for each part, and one for every group of files that the same parts use. So each
 * part also imports what `call` has, the program among it: what parts share is then in two files, and in few others.
 */
const makeParts = {
  name: 'make-parts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
      if (kind !== 'dynamic-import') return undefined
      const file = relative(root, `${resolve(dirname(importer), path)}.ts`)
      const part = Object.keys(parts).find((name) => parts[name].test(file))
      if (part !== undefined) return { path: part, namespace: 'part' }
      return { errors: [{ text: `no part of esbuild.mjs has ${file}` }] }
    })
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => {
      const lines = [
        ...listFiles('call').map((file) => `import './${file}'`),
        ...listFiles(path).map((file) => `export * from './${file}'`),
      ]
      return { contents: lines.join('\n'), resolveDir: root }
    })
    // OpenTelemetry loads one of six files to find the machine's identity. They stay in its part.
    onLoad({ filter: /getMachineId\.js$/ }, ({ path }) => ({
      contents: fs.readFileSync(path, 'utf8').replaceAll('await import(', 'require('),
    }))
  },
}

/** Stands in for modules that packages load and seldom or never use. */
const standIns = {
  name: 'stand-ins',
  setup: ({ onResolve, onLoad }) => {
    // TLS and zlib load when node-fetch uses them. Otherwise `ask` over http takes 2.14 times the processor time of a
    // script that posts, instead of 1.74 (Node 24), and 2.26 times instead of 2.05 (Node 20).
    onResolve({ filter: /^(https|zlib)$/ }, ({ path, importer }) =>
      importer.includes('node-fetch') ? { path, namespace: 'late' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
      contents: `export default new Proxy({}, { get: (_, name) => process.getBuiltinModule('${path}')[name] })`,
    }))
    // prom-client has OpenTelemetry for exemplars, which svc does not use.
    onResolve({ filter: /^@opentelemetry.api$/ }, ({ importer }) =>
      importer.includes('prom-client') ? { path: 'node:buffer', external: true } : undefined,
    )
  },
}

/** io-ts and fp-ts do not say that making a class or a codec changes nothing else. Told so, esbuild leaves out 11 kB of `library.mjs`, 3 kB of `call`. */
const unusedLeftOut = {
  name: 'unused-left-out',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules\/(io-ts|fp-ts)\/es6\/.*\.js$/ }, ({ path }) => ({
      contents: fs
        .readFileSync(path, 'utf8')
        .replaceAll('/** @class */ (', '/* @__PURE__ */ (')
        .replaceAll('= new ', '= /* @__PURE__ */ new '),
    })),
}

/**
 * Turns a file of the program into CommonJS. esbuild can only split ES modules, but Node starts CommonJS sooner (`ask` on
 * Node 20: 57 ms instead of 77 to 100). What files have of each other are constants: esbuild's own CommonJS asks two
 * getters at each use, so that `svc gate` takes 1.4 times the processor time, and making them takes each start 0.6 ms.
 */
const toCommonJs = async (text) => {
  const constants = text
    .replace(/\bimport\{([^}]*)\}from("\.[^"]+");/g, (_, names, path) => {
      return `const{${names.replaceAll(' as ', ':')}}=require(${path});`
    })
    .replace(/\bexport\{([^}]*)\};\s*$/, (_, names) => {
      return `module.exports={${names.replace(/([\w$]+) as ([\w$]+)/g, '$2:$1')}};`
    })
  return (await transform(constants, commonJs)).code
}

const style = { target: 'node20.19', minify: true }
const commonJs = { ...style, format: 'cjs', supported: { 'dynamic-import': false } }
const bundled = {
  ...{ absWorkingDir: root, bundle: true, platform: 'node', metafile: true, logLevel: 'warning' },
  ...{ legalComments: 'none', mainFields: ['module', 'main'], loader: { '.md': 'text' } },
}

const program = await build({
  ...{ ...bundled, ...style, outdir, format: 'esm', splitting: true, write: false },
  entryPoints: ['commands/program.ts'],
  chunkNames: 'chunks/[name]-[hash]',
  define: { __SVC_BUILD__: JSON.stringify(buildInfo()), 'import.meta.dirname': '__dirname' },
  // node-fetch takes its URL from whatwg-url where Node has none, and text encodings svc has no use for from `encoding`.
  alias: {
    'whatwg-url': 'node:url',
    encoding: 'node:buffer',
    '@modelcontextprotocol/server/_shims': './lib/mcp/sdk-shims.ts',
  },
  plugins: [makeParts, standIns, unusedLeftOut],
})
fs.rmSync(outdir, { recursive: true, force: true })
fs.mkdirSync(join(outdir, 'chunks'), { recursive: true })
const isEntry = ({ path }) => path === join(outdir, 'program.js')
for (const file of program.outputFiles)
  if (!isEntry(file)) fs.writeFileSync(file.path, await toCommonJs(file.text))

/** Puts the entry of the program, which only names what a part exports, into the first file. */
const toProgram = {
  name: 'to-program',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /program$/ }, ({ path }) => ({ path, namespace: 'entry' }))
    const entry = { contents: program.outputFiles.find(isEntry).text, resolveDir: outdir }
    onLoad({ filter: /./, namespace: 'entry' }, () => entry)
  },
}
// An old Node must be able to read the first file, so that it can say that the Node is too old (D65).
await build({
  ...{ ...bundled, ...commonJs, outdir, target: 'es2015', external: ['./chunks/*'] },
  entryPoints: ['commands/bin.ts'],
  plugins: [toProgram],
})
fs.chmodSync(join(outdir, 'bin.js'), 0o755)
fs.writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
/** Lets `measure.mjs` take the classes of errors from `library.mjs`, so that `instanceof` holds for both. */
const oneSetOfErrors = {
  name: 'one-set-of-errors',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/errors$/ }, ({ resolveDir }) =>
      basename(resolveDir) === 'library' ? { path: './library.mjs', external: true } : undefined,
    ),
}
// What a program imports: two ES modules, each one file beside its declarations.
for (const [name, entry, plugins] of [
  ['library', 'lib/library.ts', [unusedLeftOut]],
  ['measure', 'lib/library/measure.ts', [unusedLeftOut, oneSetOfErrors]],
])
  await build({
    ...{ ...bundled, ...style, outdir, format: 'esm', outExtension: { '.js': '.mjs' } },
    ...{ entryPoints: { [name]: entry }, plugins },
  })
for (const name of ['library', 'measure'])
  fs.copyFileSync(join(root, `lib/library/generated/${name}.d.ts`), join(outdir, `${name}.d.mts`))
for (const name of ['codec/svc-review.schema', 'policy/svc-policy.schema', 'service/svc-openapi'])
  fs.copyFileSync(join(root, `lib/${name}.json`), join(outdir, `${basename(name)}.json`))

// What the sources say of the package is written by a program that is made of them and runs now.
const tool = await build({
  ...{ ...bundled, ...style, format: 'esm', outdir, write: false, metafile: false },
  stdin: {
    contents: `
      import './commands/index'
      export { registeredCommands } from './lib/cli/registry'
      export { writePackagedFiles } from './lib/packaging/packaged-files'`,
    resolveDir: root,
  },
  define: { 'import.meta.dirname': '""' },
  external: ['./run/*'],
})
const text = Buffer.from(tool.outputFiles[0].contents).toString('base64')
const { registeredCommands, writePackagedFiles } = await import(
  `data:text/javascript;base64,${text}`
)
const inputs = Object.keys(program.metafile.inputs)
writePackagedFiles(root, outdir, registeredCommands(), manifest.version, inputs)

if (values.metafile) fs.writeFileSync(values.metafile, JSON.stringify(program.metafile))
