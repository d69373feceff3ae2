/**
 * Builds the program: `node esbuild.mjs [--outdir dist] [--metafile path]`.
 *
 * A first file (`bin.js`) and chunks beside it, most of them lazy: split as ES modules, written as
 * CommonJS. Everything is bundled, so an installed package needs nothing but Node. Build information
 * becomes `__SVC_BUILD__` (D25).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, transform } from 'esbuild'

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
    inputs.flatMap(
      (input) => /^((?!lazy:)(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? [],
    ),
  )
  for (const folder of folders)
    for (const name of Object.keys(manifest(join(root, folder)).inlinedDependencies ?? {}))
      folders.add(`node_modules/${name}`)
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license } = manifest(join(root, folder))
    return `${name} ${version} (${license})\n\n${licence(join(root, folder))}\n`
  })
  if (sections.length === 0) throw new Error('no licence of a bundled package was found')
  return sections.join(`\n${'-'.repeat(72)}\n\n`)
}

const importing = (/** @type {string} */ path) => `import ${JSON.stringify(path)};`

/** All that loads before a command is chosen. */
const program = join(root, 'commands', 'bin.ts')

/** What `svc ask` loads piece by piece when it runs from source. */
const callParts = [
  'commands/ask-run.ts',
  'lib/runtime/node-fetch.ts',
  'lib/runtime/node-input.ts',
].map((path) => join(root, path))
const call = callParts.map((path) => `export * from ${JSON.stringify(path)}`).join('\n')

/** Lazy parts that print a text and need nothing of a call. */
const textOnly = /commands\/(help|completion|version)-run|lib\/cli\/help/

/**
 * Makes one lazy part of everything a call needs, every lazy part import the program, which has
 * been loaded by then, and all but a few the whole of a call. esbuild puts modules that the same
 * entries reach into one file, so that a call reads few files.
 * @type {import('esbuild').Plugin}
 */
const fewFiles = {
  name: 'few-files',
  setup: ({ onResolve, onLoad, resolve: find }) => {
    const called = { path: 'call', namespace: 'call' }
    onResolve({ filter: /^svc:call$/ }, () => called)
    onLoad({ filter: /./, namespace: 'call' }, () => ({
      contents: `${importing(program)}\n${call}`,
      resolveDir: root,
    }))
    onResolve({ filter: /./ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === 'found' || isBuiltin(path)) return undefined
      const found = await find(path, { kind, resolveDir, pluginData: 'found' })
      if (found.errors.length > 0 || found.path === program) return undefined
      return callParts.includes(found.path)
        ? called
        : { path: relative(root, found.path), namespace: 'lazy' }
    })
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => ({
      contents: [
        importing(program),
        textOnly.test(path) ? '' : importing('svc:call'),
        `export * from ${JSON.stringify(`./${path}`)}`,
      ].join('\n'),
      resolveDir: root,
    }))
  },
}

/** What node-fetch asks of Node, taken at the first need: TLS, and a decompression that svc never has it do. */
const lazily = (/** @type {string} */ path) =>
  `export default new Proxy({}, { get: (_, name) => process.getBuiltinModule('${path}')[name] })`

/** node-fetch takes addresses apart by a parser that Node has deprecated. This is how Node itself does it. */
const addresses = `
const { urlToHttpOptions } = process.getBuiltinModule('node:url')
export default { URL, parse: (text) => urlToHttpOptions(new URL(text)), format: ({ href }) => href }`

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
    onResolve({ filter: /^(https|zlib|url|whatwg-url|encoding)$/ }, ({ path, importer }) =>
      /node_modules\/node-fetch\//.test(importer) ? { path, namespace: 'slim-fetch' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'slim-fetch' }, ({ path }) => ({
      contents: path === 'url' ? addresses : isBuiltin(path) ? lazily(path) : '',
    }))
    onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: 'silent' }))
    onLoad({ filter: /./, namespace: 'silent' }, () => ({ contents: silent }))
  },
}

/**
 * io-ts, with its classes and codecs marked as free of side effects, so that those svc has no use for
 * are left out.
 * @type {import('esbuild').Plugin}
 */
const slimCodecs = {
  name: 'slim-codecs',
  setup: ({ onLoad }) => {
    onLoad({ filter: /io-ts\/es6\/index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('/** @class */ (', '/* @__PURE__ */ (')
        .replace(/^((?:export )?var \w+ = )(?=new |brand\(|refinement\()/gm, '$1/* @__PURE__ */ '),
    }))
  },
}

/** @type {import('esbuild').CommonOptions} */
const style = {
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
}
const split = await build({
  ...style,
  absWorkingDir: root,
  entryPoints: [program],
  outdir,
  entryNames: 'chunks/[name]',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  mainFields: ['module', 'main'],
  plugins: [fewFiles, slimTracing, slimFetch, slimCodecs],
  metafile: true,
  write: false,
})

/** Where the code of a file without any of its own is: one that hands on another's exports, unrenamed. */
const source = (/** @type {string} */ text) => {
  const [, imported = '', from] = /^import(?:\{(.*?)\}from)?"(.*?)";/.exec(text) ?? []
  const rest = text.replace(/^(import.*?";)*/, '').trim()
  return rest === (imported && `export{${imported}};`) ? from : undefined
}
const empty = new Map(
  split.outputFiles.flatMap(({ path, text }) => {
    const from = source(text)
    return from === undefined ? [] : [[`./${basename(path)}`, from]]
  }),
)

/** The files of a call. */
const partNames = new Set(
  [...empty].flatMap(([path, from]) => (/^\.\/(bin|call)\b/.test(path) ? [basename(from)] : [])),
)

const recorded = `const __SVC_BUILD__=${JSON.stringify(buildInfo())};`

/**
 * A file of the split program as CommonJS, which Node loads in half the time: ES modules are read,
 * resolved and linked one asynchronous step after the other.
 */
const common = async (/** @type {string} */ text, /** @type {boolean} */ isPart) => {
  const [clause = '', names = ''] = /export\{([^}]*)\};\s*$/.exec(text) ?? []
  // Code that is set up later than its file sets its exports later too.
  const isLate = /\b__esm\(\{/.test(text)
  const exported = names.split(',').map((item) => {
    const [local, name = local] = item.split(' as ')
    return isLate ? `get ${name}(){return ${local}}` : `${name}:${local}`
  })
  const exporting = clause && `;module.exports={${exported}};`
  const body = text
    .slice(0, text.length - clause.length)
    .replace(/import\("(\.\/.*?)"\)/g, (_, path) => {
      const from = JSON.stringify(`./${basename(empty.get(path) ?? path)}`)
      return `Promise.resolve().then(()=>require(${from}))`
    })
  // Elsewhere identifiers stay: packages compare errors by their class names.
  const { code } = await transform(
    [
      /\b__SVC_BUILD__\b/.test(text) ? recorded : '',
      isLate ? exporting : '',
      body,
      isLate ? '' : exporting,
    ].join(''),
    {
      ...style,
      minifyIdentifiers: isPart,
      format: 'cjs',
      platform: 'node',
      supported: { 'dynamic-import': false },
    },
  )
  return code
}

rmSync(outdir, { recursive: true, force: true })
mkdirSync(join(outdir, 'chunks'), { recursive: true })
/** @type {string[]} */
const parts = []
for (const { path, text } of split.outputFiles) {
  const name = basename(path)
  if (empty.has(`./${name}`)) continue
  const isPart = partNames.has(name)
  const code = await common(text, isPart)
  writeFileSync(path, code)
  if (isPart) parts.push(`${JSON.stringify(name)}:function(exports,require,module){${code}\n}`)
}
writeFileSync(join(outdir, 'compiled.js'), `({${parts}})`)
const bin = join(outdir, 'bin.js')
await build({
  ...style,
  absWorkingDir: root,
  entryPoints: ['lib/runtime/start.ts'],
  banner: { js: '#!/usr/bin/env node' },
  define: {
    __SVC_PROGRAM__: JSON.stringify(`chunks/${basename(empty.get('./bin.js') ?? '')}`),
    __SVC_COMPILED_FOR__: JSON.stringify(
      `${process.versions.v8} ${process.platform} ${process.arch}`,
    ),
  },
  outfile: bin,
  bundle: true,
  format: 'cjs',
  platform: 'node',
})
writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
chmodSync(bin, 0o755)
for (const schema of ['codec/svc-review.schema.json', 'measure/svc-policy.schema.json'])
  copyFileSync(join(root, 'lib', schema), join(outdir, basename(schema)))
writeFileSync(join(outdir, 'THIRD_PARTY_NOTICES.txt'), notices(Object.keys(split.metafile.inputs)))
if (values.metafile) writeFileSync(values.metafile, JSON.stringify(split.metafile))

/**
 * Makes a call against itself and writes the compiled code of what that loaded beside `compiled.js`. Without
 * it the program is slower to start and no different, so that a failure is none of the build.
 */
const compile = `
const { writeFileSync } = require('node:fs')
const { createServer } = require('node:http')
const vm = require('node:vm')
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options)
    process.on('exit', () => writeFileSync(options.filename + '.cache', this.createCachedData()))
  }
}
const server = createServer((request, response) => {
  request.resume().on('end', () => response.end(process.env.ANSWER))
})
server.listen(0, '127.0.0.1', () => {
  process.env.SERVICE_BASE_URL = 'http://127.0.0.1:' + server.address().port
  process.argv = [process.execPath, process.env.BIN, 'ask', '-f', process.env.REQUEST]
  require(process.env.BIN)
})`
spawnSync(process.execPath, ['-e', compile], {
  env: {
    SERVICE_API_KEY: 'none',
    BIN: bin,
    REQUEST: join(root, 'fixtures/ask/ticket/request.json'),
    ANSWER: readFileSync(join(root, 'fixtures/ask/ticket/response.json'), 'utf8'),
  },
  stdio: 'ignore',
  timeout: 10_000,
})
