/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`.
 *
 * One small eager file (`bin.js`) and lazy chunks beside it. Everything is bundled, so an
 * installed package needs nothing but Node. Build information becomes `__SVC_BUILD__` (D25).
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const root = dirname(fileURLToPath(import.meta.url))
const { values } = parseArgs({
  options: { outdir: { type: 'string', default: 'dist' }, metafile: { type: 'string' } },
})
const outdir = resolve(values.outdir)

/** @param {string[]} args */
const git = (...args) => {
  try {
    const stdio = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio }).trim()
  } catch {
    return ''
  }
}

/** What the program knows about its own build; `lib/cli` resolves it (spec: Version output). */
const buildInfo = () => {
  const { version } = manifest(root)
  const publishing = ['pack', 'publish'].includes(process.env.npm_command ?? '')
  const top = git('rev-parse', '--show-toplevel')
  const ours = top !== '' && realpathSync(top) === realpathSync(root)
  return {
    version: process.env.SVC_VERSION || 'dev',
    commit: process.env.SVC_COMMIT || 'none',
    moduleVersion: publishing ? version : '(devel)',
    revision: ours ? git('rev-parse', 'HEAD') : '',
    modified: ours && git('status', '--porcelain') !== '',
  }
}

const manifest = (/** @type {string} */ folder) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The licence text of a package: its licence file, else the licence section of its README, else where it comes from. */
const licence = (/** @type {string} */ folder) => {
  const names = readdirSync(folder)
  const file = names.find((name) => /^licen[cs]e/i.test(name))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim()
  const readme = names.find((name) => /^readme/i.test(name))
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8')
  const section = (/\n#* *licen[cs]e.*\n[-=]*([\s\S]*)/i.exec(text)?.[1] ?? '').trim()
  if (section !== '') return section
  const { author, repository } = manifest(folder)
  const by = author?.name ?? author ?? 'the authors'
  return `It ships no licence text. By ${by}, ${repository?.url ?? repository}`
}

/** The notices of every package with a file among the bundle's inputs, and of what those inline. */
const notices = (/** @type {string[]} */ inputs) => {
  const folders = new Set(
    inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []),
  )
  for (const folder of folders)
    for (const name of Object.keys(manifest(join(root, folder)).inlinedDependencies ?? {}))
      folders.add(`node_modules/${name}`)
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license } = manifest(join(root, folder))
    return `${name} ${version} (${license})\n\n${licence(join(root, folder))}\n`
  })
  return sections.join(`\n${'-'.repeat(72)}\n\n`)
}

/** For CommonJS packages inside ES modules; nothing is done before the first call. */
const requireForCommonJs =
  "let __r;const require=(id)=>(__r??=process.getBuiltinModule('node:module').createRequire(import.meta.url))(id);"

const importing = (/** @type {string} */ path) => `import ${JSON.stringify(path)};`

const bin = join(root, 'commands', 'bin.ts')
const eagerPart = [...readFileSync(bin, 'utf8').matchAll(/^import .*?'(\..*)'$/gm)]
  .map(([, path]) => importing(join(dirname(bin), path)))
  .join('')
/** What `svc ask` loads piece by piece when it runs from source. */
const callParts = [
  'commands/ask-run.ts',
  'lib/runtime/node-fetch.ts',
  'lib/runtime/node-files.ts',
  'lib/runtime/node-input.ts',
].map((path) => join(root, path))
const call = [
  ...callParts.map((path) => `export * from ${JSON.stringify(path)}`),
  "export { default } from 'node-fetch'",
].join('\n')

/** Lazy parts that print a text and need nothing of a call. */
const textOnly = /commands\/(help|completion)-run|lib\/cli\/help/

/**
 * Makes one lazy part of everything a call needs, every lazy part import all of the eager part, which
 * is loaded by then anyway, and all but a few the whole of a call. esbuild puts modules that the same
 * entries reach into one file, so that a call reads few files: reading and linking them is most of its
 * start-up.
 * @type {import('esbuild').Plugin}
 */
const fewFiles = {
  name: 'few-files',
  setup: ({ onResolve, onLoad, resolve: find }) => {
    onResolve({ filter: /^svc:call$/ }, () => ({ path: 'call', namespace: 'call' }))
    onLoad({ filter: /./, namespace: 'call' }, () => ({
      contents: `${call}\n${eagerPart}`,
      resolveDir: root,
    }))
    onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === 'lazy') return undefined
      const found = await find(path, { kind, importer, resolveDir, pluginData: 'lazy' })
      if (found.errors.length > 0) return undefined
      return callParts.includes(found.path) || path === 'node-fetch'
        ? { path: 'call', namespace: 'call' }
        : { ...found, pluginData: 'lazy' }
    })
    onLoad({ filter: /\.[jt]s$/ }, ({ path, pluginData }) => {
      const contents = pluginData === 'lazy' ? readFileSync(path, 'utf8') : ''
      if (!/^(import|export)\b/m.test(contents)) return undefined
      const added = `${eagerPart}${textOnly.test(path) ? '' : importing('svc:call')}`
      return { contents: `${contents}\n${added}`, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
}

/** Parts of node-fetch that svc never reaches: bodies that are forms or blobs, `data:` URLs. */
const unreached = [
  'export class Blob {}',
  'export class FormData {}',
  'export default Blob',
  'export const File = 0, fileFrom = 0, fileFromSync = 0, blobFrom = 0, blobFromSync = 0, formDataToBlob = 0',
].join('\n')

/** TLS loads with the first call that needs it. */
const lazyHttps =
  "export default { get request() { return process.getBuiltinModule('node:https').request } }"

/** node-fetch's own decompression is never asked for. */
const lazyZlib =
  "export default new Proxy({}, { get: (_, name) => process.getBuiltinModule('node:zlib')[name] })"

/** The proxy agent's debug output: the variable DEBUG must not add to stderr. */
const silent = 'export default () => () => undefined'

/**
 * The SDK for Node, which is CommonJS and would keep all that it re-exports. Its provider differs
 * from the one below it by `register` alone, which makes a provider global: svc hands its own on.
 */
const tracing = [
  "export * from '@opentelemetry/sdk-trace-base'",
  "export { BasicTracerProvider as NodeTracerProvider } from '@opentelemetry/sdk-trace-base'",
].join('\n')

/** @type {import('esbuild').Plugin} */
const slimTracing = {
  name: 'slim-tracing',
  setup: ({ onLoad }) => {
    onLoad({ filter: /sdk-trace-node\/build\/src\/index\.js$/ }, () => ({ contents: tracing }))
  },
}

/** @type {import('esbuild').Plugin} */
const slimFetch = {
  name: 'slim-fetch',
  setup: ({ onResolve, onLoad }) => {
    onResolve(
      {
        filter:
          /^(node:https|node:zlib|fetch-blob|fetch-blob\/from\.js|formdata-polyfill\/.*|data-uri-to-buffer)$/,
      },
      ({ path, importer }) =>
        /node_modules\/(node-fetch|fetch-blob)\//.test(importer) ||
        importer.startsWith('fetch-blob')
          ? { path, namespace: 'slim-fetch', sideEffects: false }
          : undefined,
    )
    onLoad({ filter: /./, namespace: 'slim-fetch' }, ({ path }) => ({
      contents: { 'node:https': lazyHttps, 'node:zlib': lazyZlib }[path] ?? unreached,
    }))
    onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: 'silent' }))
    onLoad({ filter: /./, namespace: 'silent' }, () => ({ contents: silent }))
  },
}

/** Node's own module as an ES module that reads only what is used of it. */
const builtin = (/** @type {string} */ path) => {
  const names = Object.keys(process.getBuiltinModule(path)).filter((name) =>
    /^[a-z]\w*$/i.test(name),
  )
  const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ $of('${name}')`)
  return [
    `const $all = process.getBuiltinModule('${path}')`,
    'const $of = (name) => $all[name]',
    'export default $all',
    ...exported.filter((line) => !/const (default|delete) =/.test(line)),
  ].join('\n')
}

/**
 * Takes Node's own modules without an import: importing one reads every property it has, and some of
 * `fs` and `util` load much that no run needs, such as streams for `svc version`.
 * @type {import('esbuild').Plugin}
 */
const lazyBuiltins = {
  name: 'lazy-builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:)?[a-z_/0-9]+$/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path)
        ? { path, namespace: 'builtin', sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: builtin(path) }))
  },
}

rmSync(outdir, { recursive: true, force: true })
const result = await build({
  absWorkingDir: root,
  entryPoints: ['commands/bin.ts'],
  outdir,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  plugins: [fewFiles, slimTracing, slimFetch, lazyBuiltins],
  // Identifiers stay: packages compare errors by their class names.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
})

const prefixes = {
  require: requireForCommonJs,
  __SVC_BUILD__: `const __SVC_BUILD__=${JSON.stringify(buildInfo())};`,
}
for (const path of Object.keys(result.metafile.outputs)) {
  const file = join(root, path)
  const code = readFileSync(file, 'utf8').replace(/^#!.*\n/, '')
  const needed = Object.entries(prefixes).filter(([name]) => new RegExp(`\\b${name}\\b`).test(code))
  const shebang = path.endsWith('/bin.js') ? '#!/usr/bin/env node\n' : ''
  writeFileSync(file, `${shebang}${needed.map(([, text]) => text).join('')}${code}`)
}
chmodSync(join(outdir, 'bin.js'), 0o755)
const schema = 'svc-review.schema.json'
copyFileSync(join(root, 'lib/codec', schema), join(outdir, schema))
writeFileSync(join(outdir, 'THIRD_PARTY_NOTICES.txt'), notices(Object.keys(result.metafile.inputs)))
if (values.metafile) writeFileSync(values.metafile, JSON.stringify(result.metafile))
