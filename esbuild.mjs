/**
 * Builds what the package holds: `node esbuild.mjs [--outdir dist] [--metafile path]`. Packages are bundled, so that an
 * installed svc needs nothing but Node.
 *
 * - `chunks/`: the program, in parts that load when they are needed (`lib/packaging/program-parts.mjs`)
 * - `bin.js`: the file that Node runs. It looks at the version of Node, and loads the program
 * - `library.mjs`: what a program imports, with its declarations, source map and API page
 * - the JSON schemas, the scenarios, and the licences of the bundled packages
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { makeParts, standIns, toCommonJs } from './lib/packaging/program-parts.mjs'

const root = import.meta.dirname
const options = { outdir: { type: 'string', default: 'dist' }, metafile: { type: 'string' } }
const { values } = parseArgs({ options })
const outdir = resolve(values.outdir)
const program = join(outdir, 'program.js')
const manifest = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'))

/** The options that all builds share. */
const style = { target: 'node20.19', minify: true }
const bundled = {
  ...style,
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'node',
  mainFields: ['module', 'main'],
  loader: { '.md': 'text' },
  alias: {
    // node-fetch takes its URL from whatwg-url if Node has none, and encodings that svc has no use for from `encoding`.
    'whatwg-url': 'node:url',
    encoding: 'node:buffer',
    debug: './lib/runtime/http/no-debug.ts',
  },
  legalComments: 'none',
  logLevel: 'warning',
}

/** A file of the program: CommonJS in which a lazy import is a call of `require`. */
const chunk = { ...style, format: 'cjs', supported: { 'dynamic-import': false } }

/** What a git command prints; `''` if there is no git or no repository. */
const git = (...args) =>
  (spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? '').trim()

/** Describes this build, as JSON. `lib/runtime/build.ts` decides what `svc version` prints of it. */
const describeBuild = () => {
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

/** Builds the chunks, and `program.js`, which only names what they export. Returns esbuild's metafile. */
const buildProgram = async () => {
  const { outputFiles, metafile } = await build({
    ...bundled,
    format: 'esm',
    splitting: true,
    write: false,
    metafile: true,
    entryPoints: ['commands/program.ts'],
    chunkNames: 'chunks/[name]-[hash]',
    define: { __SVC_BUILD__: JSON.stringify(describeBuild()), 'import.meta.dirname': '__dirname' },
    plugins: [makeParts, standIns],
  })
  fs.mkdirSync(join(outdir, 'chunks'), { recursive: true })
  for (const { path, text } of outputFiles)
    fs.writeFileSync(path, path === program ? text : await toCommonJs(text, chunk))
  return metafile
}

/** Builds `bin.js` around `program.js`. An old Node must be able to read it, so that it can say that it is too old. */
const buildFirstFile = async () => {
  const takeProgram = {
    name: 'take-program',
    setup: ({ onResolve }) => onResolve({ filter: /^\.\/program$/ }, () => ({ path: program })),
  }
  await build({
    ...bundled,
    ...chunk,
    target: 'es2015',
    external: ['./chunks/*'],
    entryPoints: ['commands/bin.ts'],
    plugins: [takeProgram],
  })
  fs.rmSync(program)
  fs.chmodSync(join(outdir, 'bin.js'), 0o755)
  fs.writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
}

/** Builds the library: one ES module, with a source map that holds the sources of svc, but not those of packages. */
const buildLibrary = async () => {
  await build({
    ...bundled,
    format: 'esm',
    entryPoints: ['lib/library.ts'],
    outExtension: { '.js': '.mjs' },
    // Without this, the names of the error classes would be shortened.
    keepNames: true,
    sourcemap: 'linked',
  })
  const file = join(outdir, 'library.mjs.map')
  const map = JSON.parse(fs.readFileSync(file, 'utf8'))
  map.sourcesContent = map.sourcesContent.map((text, index) =>
    map.sources[index].includes('node_modules/') ? null : text,
  )
  fs.writeFileSync(file, JSON.stringify(map))
}

/** Copies the schemas, then builds and runs the program that writes the other files. */
const writeOtherFiles = async (inputs) => {
  for (const name of [
    'codec/svc-review.schema',
    'replay/svc-scenario.schema',
    'runs/policy/svc-policy.schema',
    'service/svc-openapi',
  ])
    fs.copyFileSync(join(root, `lib/${name}.json`), join(outdir, `${basename(name)}.json`))
  const tool = join(outdir, 'packaged-files.mjs')
  await build({
    ...bundled,
    format: 'esm',
    entryPoints: ['lib/packaging/packaged-files.ts'],
    outExtension: { '.js': '.mjs' },
  })
  const { writePackagedFiles } = await import(pathToFileURL(tool))
  fs.rmSync(tool)
  writePackagedFiles(root, outdir, inputs)
}

/** Builds the page of `svc label`, which runs in a browser. */
const buildLabelPage = async () => {
  const page = join(root, 'lib/label/page')
  const folder = join(outdir, 'label')
  await build({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    entryPoints: [join(page, 'main.tsx')],
    outfile: join(folder, 'page.js'),
    legalComments: 'none',
    logLevel: 'warning',
  })
  for (const name of ['index.html', 'page.css'])
    fs.copyFileSync(join(page, name), join(folder, name))
}

fs.rmSync(outdir, { recursive: true, force: true })
const metafile = await buildProgram()
await buildFirstFile()
await buildLibrary()
await buildLabelPage()
await writeOtherFiles(Object.keys(metafile.inputs))
if (values.metafile) fs.writeFileSync(values.metafile, JSON.stringify(metafile))
