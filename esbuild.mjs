/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`.
 *
 * The output is `bin.js`, which looks at the Node it runs on, and in `chunks/` the program and the parts that load when
 * they are needed. Everything is bundled, so that an installed package needs nothing but Node. esbuild splits ES modules only,
 * and Node starts CommonJS sooner: the parts are split as ES modules, and each is then turned into CommonJS.
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

/** What git says, `''` where it says nothing. @param {string[]} args */
const git = (...args) =>
  (spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? '').trim()

/** What the program knows about its own build; `lib/cli/build.ts` makes the version of it (D25). */
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
/** Parts that print a text and make no call. */
const withoutCall = /commands\/(version|help|completion)-run|cli\/help/

/**
 * esbuild puts two files into one part when the same entries reach both, and every dynamic import is an entry. So that
 * a call loads few parts, every entry is made to reach the program, and all but those above what a call needs.
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
const parts = await build({
  ...style,
  absWorkingDir: root,
  entryPoints: [programFile],
  outdir,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  legalComments: 'none',
  mainFields: ['module', 'main'],
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
  metafile: true,
  write: false,
})

fs.rmSync(outdir, { recursive: true, force: true })
fs.mkdirSync(join(outdir, 'chunks'), { recursive: true })
for (const { path, text } of parts.outputFiles)
  if (dirname(path) !== outdir) fs.writeFileSync(path, (await transform(text, commonJs)).code)
const program = Object.entries(parts.metafile.outputs).find(
  ([, { inputs }]) => programFile in inputs,
)
const path = `./${relative(outdir, join(root, program?.[0] ?? ''))}`
/** @type {import('esbuild').Plugin} */
const toProgram = {
  name: 'to-program',
  setup: ({ onResolve }) => onResolve({ filter: /program$/ }, () => ({ path, external: true })),
}
// An old Node must be able to read the first file, so that it can say that the Node is too old (D65).
await build({
  ...commonJs,
  absWorkingDir: root,
  entryPoints: ['commands/bin.ts'],
  outdir,
  bundle: true,
  target: 'es2015',
  plugins: [toProgram],
})
// The threads of `svc serve` start with a file of their own, which shares no part with the program: its parts stay few.
const worker = await build({
  ...commonJs,
  absWorkingDir: root,
  entryPoints: ['lib/service/workers/worker.ts'],
  outdir: join(outdir, 'chunks'),
  bundle: true,
  legalComments: 'none',
  mainFields: ['module', 'main'],
  metafile: true,
})
const metafile = {
  inputs: { ...parts.metafile.inputs, ...worker.metafile.inputs },
  outputs: { ...parts.metafile.outputs, ...worker.metafile.outputs },
}
fs.chmodSync(join(outdir, 'bin.js'), 0o755)
fs.writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
for (const schema of ['codec/svc-review.schema.json', 'policy/svc-policy.schema.json'])
  fs.copyFileSync(join(root, 'lib', schema), join(outdir, basename(schema)))

/** Every package with a file in the bundle, and what those bring inlined. */
const folders = new Set(
  Object.keys(metafile.inputs).flatMap(
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
if (values.metafile) fs.writeFileSync(values.metafile, JSON.stringify(metafile))
