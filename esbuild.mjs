/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`.
 *
 * The output is `bin.js`, which looks at the Node it runs on, and in `chunks/` the program and the parts that load when
 * they are needed. Everything is bundled, so that an installed package needs nothing but Node. Node starts CommonJS
 * sooner than ES modules, but esbuild can only split the latter: it splits the program as ES modules, and then turns each
 * part into CommonJS.
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

const read = (/** @type {string} */ path) => fs.readFileSync(join(root, path), 'utf8')
const manifest = (/** @type {string} */ folder) => JSON.parse(read(join(folder, 'package.json')))

/** What a git command prints, `''` where there is no git or no repository. @param {string[]} args */
const git = (...args) =>
  (spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? '').trim()

/** What the program knows about its own build. `lib/cli/build.ts` decides which of it `svc version` tells (D25). */
const buildInfo = () => {
  const top = git('rev-parse', '--show-toplevel')
  const ours = top !== '' && fs.realpathSync(top) === fs.realpathSync(root)
  const publishing = ['pack', 'publish'].includes(process.env.npm_command ?? '')
  return {
    version: process.env.SVC_VERSION || 'dev',
    commit: process.env.SVC_COMMIT || 'none',
    moduleVersion: publishing ? manifest('.').version : '(devel)',
    revision: ours ? git('rev-parse', 'HEAD') : '',
    modified: ours && git('status', '--porcelain') !== '',
  }
}

const programFile = 'commands/program.ts'
const call = ['commands/ask-run.ts', 'lib/runtime/node-fetch.ts']
/** Lazy files that only print a text: they need nothing of what makes a call. */
const withoutCall = /commands\/(version|help|completion)-run|cli\/help/

/**
 * Keeps the number of parts that a call loads small, since each takes time to find and read. esbuild puts two source
 * files into one part when the same entry points reach both, and takes every dynamic import for an entry point: what
 * few of them share would become dozens of small parts. So each lazy file is replaced by one that also imports the
 * program and, but for those that only print, all that a call needs. What every entry point reaches is one part.
 * @type {import('esbuild').Plugin}
 */
const fewParts = {
  name: 'few-parts',
  setup: ({ onResolve, onLoad, resolve: find }) => {
    onResolve({ filter: /./ }, async ({ kind, path, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || isBuiltin(path) || pluginData === 'found') return undefined
      const found = await find(path, { kind, resolveDir, pluginData: 'found' })
      return { path: relative(root, found.path), namespace: 'lazy' }
    })
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => {
      const reached = [programFile, ...(withoutCall.test(path) ? [] : call)]
      const contents = [...reached.map((one) => `import './${one}'`), `export * from './${path}'`]
      return { contents: contents.join('\n'), resolveDir: root }
    })
  },
}

/**
 * node-fetch loads TLS and zlib for every call, which takes longer than a call by http. Here they load when they are used.
 * @type {import('esbuild').Plugin}
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

/** @type {import('esbuild').CommonOptions} */
const style = { platform: 'node', target: 'node20.19', minify: true, logLevel: 'warning' }
/** @type {import('esbuild').CommonOptions} */
const commonJs = { ...style, format: 'cjs', supported: { 'dynamic-import': false } }
/** @type {import('esbuild').BuildOptions} */
const bundled = {
  ...{ absWorkingDir: root, bundle: true, metafile: true },
  ...{ legalComments: 'none', mainFields: ['module', 'main'] },
}

const program = await build({
  ...{ ...bundled, ...style, outdir },
  entryPoints: [programFile],
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  format: 'esm',
  define: {
    __SVC_BUILD__: JSON.stringify(JSON.stringify(buildInfo())),
    'import.meta.dirname': '__dirname',
  },
  // node-fetch takes its URL from whatwg-url where Node has none, and text encodings svc has no use for from `encoding`.
  alias: {
    'whatwg-url': 'node:url',
    encoding: 'node:buffer',
    '@modelcontextprotocol/server/_shims': './lib/mcp/sdk-shims.ts',
  },
  plugins: [fewParts, lazyTls],
  write: false,
})
fs.rmSync(outdir, { recursive: true, force: true })
fs.mkdirSync(join(outdir, 'chunks'), { recursive: true })
for (const { path, text } of program.outputFiles)
  if (dirname(path) !== outdir) fs.writeFileSync(path, (await transform(text, commonJs)).code)

// The threads of `svc serve` start with a file of their own, which shares no part with the program: its parts stay few.
const worker = await build({
  ...{ ...bundled, ...commonJs, outdir: join(outdir, 'chunks') },
  entryPoints: ['lib/service/workers/worker.ts'],
})
const inputs = { ...program.metafile.inputs, ...worker.metafile.inputs }
const outputs = { ...program.metafile.outputs, ...worker.metafile.outputs }

const part = Object.keys(outputs).find((path) => programFile in (outputs[path]?.inputs ?? {}))
const path = `./${relative(outdir, join(root, part ?? ''))}`
/** @type {import('esbuild').Plugin} */
const toProgram = {
  name: 'to-program',
  setup: ({ onResolve }) => onResolve({ filter: /program$/ }, () => ({ path, external: true })),
}
// An old Node must be able to read the first file, so that it can say that the Node is too old (D65).
await build({
  ...{ ...bundled, ...commonJs, outdir, target: 'es2015' },
  entryPoints: ['commands/bin.ts'],
  plugins: [toProgram],
})
fs.chmodSync(join(outdir, 'bin.js'), 0o755)
fs.writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
for (const schema of ['codec/svc-review.schema.json', 'policy/svc-policy.schema.json'])
  fs.copyFileSync(join(root, 'lib', schema), join(outdir, basename(schema)))
fs.copyFileSync(join(root, 'lib/service/openapi.json'), join(outdir, 'svc-openapi.json'))

/** Every package with a file in the bundle, and what those bring inlined. */
const folders = new Set(
  Object.keys(inputs).flatMap(
    (path) => /^(?!lazy:)(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  ),
)
for (const folder of folders)
  for (const name of Object.keys(manifest(folder).inlinedDependencies ?? {}))
    folders.add(`node_modules/${name}`)
const notices = [...folders].sort().map((folder) => {
  const { name, version, license } = manifest(folder)
  // Where there is no file with the licence, the README, which comes after it, has it.
  const files = fs.readdirSync(join(root, folder)).sort((a, b) => a.localeCompare(b))
  const file = files.find((one) => /^(licen[cs]e|readme)/i.test(one)) ?? ''
  return `${name} ${version} (${license})\n\n${read(join(folder, file)).trim()}\n`
})
fs.writeFileSync(join(outdir, 'THIRD_PARTY_NOTICES.txt'), notices.join(`\n${'-'.repeat(72)}\n\n`))
if (values.metafile) fs.writeFileSync(values.metafile, JSON.stringify({ inputs, outputs }))
