/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`. Everything is bundled, so that an installed
 * package needs nothing but Node: `bin.js`, which looks at the Node it runs on, and in `chunks/` the program and the
 * parts that load when they are needed. Node starts CommonJS sooner than ES modules, but esbuild can only split the
 * latter: it splits the program as ES modules, and then turns each part into CommonJS.
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
const call = ['commands/ask-run.ts', 'lib/runtime/http/fetch.ts']
/** Lazy files that only print a text: they need nothing of what makes a call. */
const withoutCall = /commands\/(version|help|completion)-run|cli\/help/

/**
 * Keeps the number of parts that a call loads small, since each takes time to find and read. esbuild puts two source
 * files into one part when the same entry points reach both, and takes every dynamic import for an entry point: what
 * few of them share would become dozens of small parts. So each lazy file also imports the program and, but for those
 * that only print, all that a call needs, which is a single lazy file: what every entry point reaches is one part.
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
      const contents = [
        ...[programFile, ...(withoutCall.test(path) ? [] : call)].map(
          (file) => `import './${file}'`,
        ),
        ...(path === 'call' ? call : [path]).map((file) => `export * from './${file}'`),
      ]
      return { contents: contents.join('\n'), resolveDir: root }
    })
  },
}

/** node-fetch loads TLS and zlib for every call, which takes longer than a call by http. Here they load when used. */
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
