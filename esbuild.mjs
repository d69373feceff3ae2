/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`. Packages are bundled, so that an installed
 * svc needs nothing but Node. The steps:
 *
 * 1. Split the program into parts, `chunks/*.js`, which load when they are needed. esbuild can only split ES modules,
 *    but Node starts CommonJS sooner (`ask` on Node 20: 57 ms instead of 77 to 100), so each part is turned into CommonJS.
 * 2. Build `bin.js`, the file that Node runs. It looks at the Node it runs on, and loads the program.
 * 3. Copy the JSON schemas, and write the licences of the bundled packages.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
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
const call = ['commands/ask-run.ts', 'lib/runtime/http/fetch.ts', 'lib/dialect/questions.ts']
/** Files that load when needed and only print a text: they need nothing of `call`, which every call needs. */
const withoutCall = /commands\/(version|help|completion)-run|cli\/help/

/**
 * Makes a call load 4 parts instead of dozens, because Node takes time to find and read each. esbuild makes a part of
 * the files that the same dynamic imports reach, and so a small part for every combination of them. This plugin lets
 * every dynamically imported file import the program as well, and what a call needs: these are then two large parts.
 * Without it `ask` takes 2.05 times the processor time of a script that posts, instead of 1.74 (Node 24), and 2.64
 * times instead of 2.05 (Node 20): more than the limits on the start allow.
 */
const fewParts = {
  name: 'few-parts',
  setup: ({ onResolve, onLoad, resolve: find }) => {
    onResolve({ filter: /./ }, async ({ kind, path, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || isBuiltin(path) || pluginData === 'found') return undefined
      // What a package loads lazily of itself needs nothing of the program.
      if (resolveDir.includes('node_modules')) return undefined
      const found = await find(path, { kind, resolveDir, pluginData: 'found' })
      const file = relative(root, found.path)
      return { path: call.includes(file) ? 'call' : file, namespace: 'lazy' }
    })
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => {
      const also = withoutCall.test(path) ? [programFile] : [programFile, ...call]
      const own = path === 'call' ? call : [path]
      const lines = [
        ...also.map((file) => `import './${file}'`),
        ...own.map((file) => `export * from './${file}'`),
      ]
      return { contents: lines.join('\n'), resolveDir: root }
    })
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
for (const { path, text } of program.outputFiles)
  if (dirname(path) !== outdir) fs.writeFileSync(path, (await transform(text, commonJs)).code)

const { inputs, outputs } = program.metafile
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
for (const name of ['codec/svc-review.schema', 'policy/svc-policy.schema', 'service/svc-openapi'])
  fs.copyFileSync(join(root, `lib/${name}.json`), join(outdir, `${basename(name)}.json`))

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
