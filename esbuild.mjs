/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`. Packages are bundled, so that an installed
 * svc needs nothing but Node. The steps:
 *
 * 1. Split the program into parts, `chunks/*.js`, which load when they are needed. esbuild can only split ES modules,
 *    but Node starts CommonJS sooner (`ask` on Node 20: 57 ms instead of 77 to 100), so each part is turned into CommonJS.
 * 2. Build `bin.js`, the file that Node runs. It looks at the Node it runs on, and loads the program.
 * 3. Build `library.mjs` and `measure.mjs`, what a program imports. Copy the JSON schemas, and write the licences of the bundled packages.
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

const read = (path) => fs.readFileSync(join(root, path), 'utf8')
const manifest = (folder) => JSON.parse(read(join(folder, 'package.json')))

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
    moduleVersion: publishing ? manifest('.').version : '(devel)',
    revision: ours ? git('rev-parse', 'HEAD') : '',
    modified: ours && git('status', '--porcelain') !== '',
  })
}

const programFile = 'commands/program.ts'

/** The TypeScript files, but for the one that Node runs, which is built by itself. */
const sources = ['commands', 'lib'].flatMap((folder) =>
  fs
    .readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter(
      (file) =>
        file.endsWith('.ts') && !/commands\/(bin|packaged-files|manual-pages)\.ts/.test(file),
    ),
)
const lazyImport = /\bimport\('(\.[^']+)'\)/g
const findLazy = (file, path) => `${join(dirname(file), path)}.ts`
const lazyFiles = sources.flatMap((file) =>
  [...read(file).matchAll(lazyImport)].map(([, path]) => findLazy(file, path)),
)

/** The parts, with the lazily imported files that each holds: a file is in the first that fits. */
const parts = {
  version: /commands\/version-run/,
  help: /commands\/(help|init|complete|completion)-run|lib\/(help|cli\/help)/,
  call: /commands\/(ask|models)-run|http\/fetch|lib\/(cli|dialect|provider)\/|gate\/requirements/,
  tracing: /lib\/telemetry\//,
  services: /commands\/(mcp|serve|review|review-init)-run|lib\/(service|review)\/|junit/,
  rows: /./,
}
const partOf = (file) => Object.keys(parts).find((name) => parts[name].test(file))
/** Parts that need nothing of `call`, which all others do. */
const withoutCall = ['version', 'call']
/** Small files that several parts use, and a call does not. In `call` they need no file of their own. */
const shared = [
  'batch/ask-all',
  'batch/paced-run',
  'batch/summary',
  'failure/named-files',
  'run/lines',
  'text/markdown',
]

/**
 * Makes the program a few files, because Node takes time to find and read each, and an installed package is a list that
 * a person can read. esbuild makes a file for each lazy import, and one for every combination of them that reaches the
 * same files. This plugin lets each lazy import load a part instead, which holds several files, and lets every part
 * import the program and most of them `call`: what they share is then two files.
 */
const fewParts = {
  name: 'few-parts',
  setup: ({ onResolve, onLoad }) => {
    onLoad({ filter: /\/(commands|lib)\/.*\.ts$/ }, ({ path }) => {
      const file = relative(root, path)
      if (!sources.includes(file)) return undefined
      const contents = read(file).replaceAll(lazyImport, (_, lazy) => {
        const found = findLazy(file, lazy)
        return `import('part:${partOf(found)}').then((part) => part['${found}'])`
      })
      return { contents, loader: 'ts' }
    })
    onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice(5), namespace: 'part' }))
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => {
      const own = new Set(lazyFiles.filter((file) => partOf(file) === path))
      if (path === 'call') for (const file of shared) own.add(`lib/${file}.ts`)
      const first = withoutCall.includes(path) ? [programFile] : [programFile, 'part:call']
      const lines = [
        ...first.map((name) => `import '${name.startsWith('part:') ? name : `./${name}`}'`),
        ...[...own].map((file) => `export * as '${file}' from './${file}'`),
      ]
      return { contents: lines.join('\n'), resolveDir: root }
    })
    // The SDK finds the machine's identity by one of six files, each of which it loads lazily.
    onLoad({ filter: /getMachineId\.js$/ }, ({ path }) => ({
      contents: fs.readFileSync(path, 'utf8').replaceAll('await import(', 'require('),
    }))
  },
}

/**
 * Loads TLS and zlib when node-fetch uses them, instead of in every call. Without it `ask` over http takes 2.14 times
 * the processor time of a script that posts, instead of 1.74 (Node 24), and 2.26 times instead of 2.05 (Node 20).
 */
const lazyTls = {
  name: 'lazy-tls',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(https|zlib)$/ }, ({ path, resolveDir }) =>
      resolveDir.includes('node_modules/node-fetch') ? { path, namespace: 'late' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
      contents: `export default new Proxy({}, { get: (_, name) => process.getBuiltinModule('${path}')[name] })`,
    }))
  },
}

const style = { target: 'node20.19', minify: true }
const commonJs = { ...style, format: 'cjs', supported: { 'dynamic-import': false } }
const bundled = {
  ...{ absWorkingDir: root, bundle: true, platform: 'node', metafile: true, logLevel: 'warning' },
  ...{ legalComments: 'none', mainFields: ['module', 'main'], loader: { '.md': 'text' } },
}

const program = await build({
  ...{ ...bundled, ...style, outdir, format: 'esm', splitting: true, write: false },
  entryPoints: [programFile],
  chunkNames: 'chunks/[name]-[hash]',
  define: { __SVC_BUILD__: JSON.stringify(buildInfo()), 'import.meta.dirname': '__dirname' },
  // node-fetch takes its URL from whatwg-url where Node has none, and text encodings svc has no use for from `encoding`.
  alias: {
    'whatwg-url': 'node:url',
    encoding: 'node:buffer',
    '@modelcontextprotocol/server/_shims': './lib/mcp/sdk-shims.ts',
  },
  plugins: [fewParts, lazyTls],
})
fs.rmSync(outdir, { recursive: true, force: true })
fs.mkdirSync(join(outdir, 'chunks'), { recursive: true })
const { inputs, outputs } = program.metafile

/** The parts that hold files of the program, and not packages alone. */
const ownParts = new Set(
  Object.keys(outputs)
    .filter((path) => Object.keys(outputs[path].inputs).some((file) => file.startsWith('lib/')))
    .map((path) => basename(path)),
)
/**
 * Takes what a part imports from other parts as constants. esbuild's CommonJS would ask two getters at every use, so that
 * `svc gate` took 1.4 times the processor time. Packages keep their getters: some set what they export later.
 */
const importConstants = (text) =>
  text.replace(/import\{([^}]*)\}from"\.\/([^"]+)";/g, (whole, names, name) =>
    ownParts.has(name) ? `const{${names.replaceAll(' as ', ':')}}=require("./${name}");` : whole,
  )
for (const { path, text } of program.outputFiles)
  if (dirname(path) !== outdir)
    fs.writeFileSync(path, (await transform(importConstants(text), commonJs)).code)

const part = Object.keys(outputs).find((path) => programFile in outputs[path].inputs)
const path = `./${relative(outdir, join(root, part))}`
const toProgram = {
  name: 'to-program',
  setup: ({ onResolve }) => onResolve({ filter: /program$/ }, () => ({ path, external: true })),
}
// An old Node must be able to read the first file, so that it can say that the Node is too old (D65).
await build({
  ...{ ...bundled, ...commonJs, outdir, target: 'es2015', plugins: [toProgram] },
  entryPoints: ['commands/bin.ts'],
})
fs.chmodSync(join(outdir, 'bin.js'), 0o755)
fs.writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
// What a program imports: two ES modules, each one file beside its declarations.
await build({
  ...{ ...bundled, ...style, outdir, format: 'esm', outExtension: { '.js': '.mjs' } },
  entryPoints: { library: 'lib/library.ts', measure: 'lib/library/measure.ts' },
})
for (const name of ['library', 'measure'])
  fs.copyFileSync(
    join(root, `lib/library/declarations/${name}.d.ts`),
    join(outdir, `${name}.d.mts`),
  )
for (const name of ['codec/svc-review.schema', 'policy/svc-policy.schema', 'service/svc-openapi'])
  fs.copyFileSync(join(root, `lib/${name}.json`), join(outdir, `${basename(name)}.json`))

/** Leaves the work of commands out of a build. */
const declarationsAlone = {
  name: 'declarations-alone',
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind }) =>
      kind === 'dynamic-import' ? { external: true } : undefined,
    ),
}
// What the sources say of the package is written by a program that is made of them and runs now.
const tool = await build({
  ...{ ...bundled, ...style, format: 'esm', outdir, write: false, metafile: false },
  entryPoints: ['commands/packaged-files.ts'],
  define: { 'import.meta.dirname': '""' },
  plugins: [declarationsAlone],
})
const text = Buffer.from(tool.outputFiles[0].contents).toString('base64')
const { writePackagedFiles } = await import(`data:text/javascript;base64,${text}`)
writePackagedFiles(root, outdir, manifest('.').version)

/** The folders of the packages that are in the bundle, and of what these hold of others. */
const packages = new Set(
  Object.keys(inputs).flatMap((path) => /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
)
for (const folder of packages)
  for (const name of Object.keys(manifest(folder).inlinedDependencies ?? {}))
    packages.add(`node_modules/${name}`)
const notices = [...packages].sort().map((folder) => {
  const { name, version, license } = manifest(folder)
  const named = (pattern) => fs.readdirSync(join(root, folder)).find((file) => pattern.test(file))
  // A package without a file for its licence has the text in its README.
  const text = read(join(folder, named(/^licen[cs]e/i) ?? named(/^readme/i)))
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
})
fs.writeFileSync(join(outdir, 'THIRD_PARTY_NOTICES.txt'), notices.join(`\n${'-'.repeat(72)}\n\n`))
if (values.metafile) fs.writeFileSync(values.metafile, JSON.stringify({ inputs, outputs }))
