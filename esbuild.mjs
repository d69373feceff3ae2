/**
 * Builds the package: `node esbuild.mjs [--outdir dist] [--metafile path]`. It bundles all packages, so an installed svc needs
 * only Node. The folder then has:
 *
 * - `bin.js`: the file that Node runs. It checks the version of Node and loads the program
 * - `chunks/`: the program. A command loads only a few of its files, see `lib/packaging/program-parts.mjs`
 * - `library.mjs`: the library, with its type declarations, source map and API page
 * - `label/`: the page of `svc label`
 * - `svc-embedded-1.bin`: the vectors of the embedded engine
 * - JSON schemas, the scenarios for `svc fixtures`, and the licences of the bundled packages
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { toCommonJs } from './lib/packaging/commonjs.mjs'
import { makeParts } from './lib/packaging/program-parts.mjs'
import { standIns } from './lib/packaging/stand-ins.mjs'

const root = import.meta.dirname
const flags = { outdir: { type: 'string', default: 'dist' }, metafile: { type: 'string' } }
const { values: flagValues } = parseArgs({ options: flags })
const outdir = resolve(flagValues.outdir)
const manifest = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'))

/** The options for everything that runs on Node. */
const nodeOptions = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  loader: { '.md': 'text', '.bin': 'file' },
  assetNames: '[name]',
  alias: {
    // node-fetch uses these packages for URLs, which Node has, and for encodings that svc does not use.
    'whatwg-url': 'node:url',
    encoding: 'node:buffer',
    // The proxy agents log by this package.
    debug: './lib/runtime/http/no-debug.ts',
  },
  legalComments: 'none',
  logLevel: 'warning',
}

/** The options for files that are ES modules. */
const moduleOptions = { ...nodeOptions, format: 'esm', outExtension: { '.js': '.mjs' } }

/** The options for files that are CommonJS modules. A lazy import becomes a call of `require`. */
const commonJsOptions = { format: 'cjs', supported: { 'dynamic-import': false } }

/** Returns the output of a git command, or `''` if there is no git or no repository. */
const runGit = (...args) =>
  (spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? '').trim()

/** Describes this build for `svc version`, see `lib/runtime/build.ts`. */
const describeBuild = () => {
  const repositoryRoot = runGit('rev-parse', '--show-toplevel')
  // The folder may also be a copy inside another repository, whose revision says nothing about svc.
  const isRepository = repositoryRoot !== '' && relative(root, repositoryRoot) === ''
  const isPublishing = ['pack', 'publish'].includes(process.env.npm_command)
  return {
    version: process.env.SVC_VERSION || 'dev',
    commit: process.env.SVC_COMMIT || 'none',
    moduleVersion: isPublishing ? manifest.version : '(devel)',
    revision: isRepository ? runGit('rev-parse', 'HEAD') : '',
    modified: isRepository && runGit('status', '--porcelain') !== '',
  }
}

/** The entry of the program, as an ES module. `buildBin` builds `bin.js` from it, then removes it. */
const programFile = join(outdir, 'program.js')

/** Builds the chunks and `program.js`. Returns esbuild's metafile, which lists the sources of each file. */
const buildProgram = async () => {
  const buildInfo = JSON.stringify(describeBuild())
  const { outputFiles, metafile } = await build({
    ...nodeOptions,
    format: 'esm',
    splitting: true,
    write: false,
    metafile: true,
    entryPoints: ['commands/program.ts'],
    chunkNames: 'chunks/[name]-[hash]',
    // A definition is code: the JSON becomes a string literal.
    define: { __SVC_BUILD__: JSON.stringify(buildInfo), 'import.meta.dirname': '__dirname' },
    plugins: [makeParts, standIns],
  })
  const chunkOptions = { ...commonJsOptions, minify: true, target: nodeOptions.target }
  fs.mkdirSync(join(outdir, 'chunks'), { recursive: true })
  for (const { path, text, contents } of outputFiles) {
    const isChunk = path.endsWith('.js') && path !== programFile
    fs.writeFileSync(path, isChunk ? await toCommonJs(text, chunkOptions) : contents)
  }
  return metafile
}

/**
 * Builds `bin.js`, which loads the chunks. Old versions of Node must be able to read it to report that they are too old. Returns
 * esbuild's metafile.
 */
const buildBin = async () => {
  const useProgramFile = {
    name: 'use-program-file',
    setup: ({ onResolve }) => onResolve({ filter: /^\.\/program$/ }, () => ({ path: programFile })),
  }
  const { metafile } = await build({
    ...nodeOptions,
    ...commonJsOptions,
    target: 'es2015',
    metafile: true,
    external: ['./chunks/*'],
    entryPoints: ['commands/bin.ts'],
    plugins: [useProgramFile],
  })
  fs.rmSync(programFile)
  fs.chmodSync(join(outdir, 'bin.js'), 0o755)
  fs.writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
  return metafile
}

/** Builds the library. Its source map has the sources of svc, but not those of packages. Returns esbuild's metafile. */
const buildLibrary = async () => {
  const { metafile } = await build({
    ...moduleOptions,
    entryPoints: ['lib/library.ts'],
    // Without this, esbuild would shorten the names of the error classes.
    keepNames: true,
    sourcemap: 'linked',
    metafile: true,
  })
  const mapFile = join(outdir, 'library.mjs.map')
  const map = JSON.parse(fs.readFileSync(mapFile, 'utf8'))
  map.sourcesContent = map.sourcesContent.map((text, index) =>
    map.sources[index].includes('node_modules/') ? null : text,
  )
  fs.writeFileSync(mapFile, JSON.stringify(map))
  return metafile
}

/** Builds the page of `svc label`, which runs in a browser. Returns esbuild's metafile. */
const buildLabelPage = async () => {
  const source = join(root, 'lib/label/page')
  const target = join(outdir, 'label')
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    entryPoints: [join(source, 'main.tsx')],
    outfile: join(target, 'page.js'),
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  })
  for (const name of ['index.html', 'page.css'])
    fs.copyFileSync(join(source, name), join(target, name))
  return metafile
}

/** Copies the JSON schemas and the OpenAPI document. */
const copySchemas = () => {
  const schemas = [
    'lib/codec/svc-review.schema.json',
    'lib/measure/train/svc-model.schema.json',
    'lib/replay/svc-scenario.schema.json',
    'lib/runs/policy/svc-policy.schema.json',
    'lib/service/svc-openapi.json',
  ]
  for (const path of schemas) fs.copyFileSync(join(root, path), join(outdir, basename(path)))
}

/** Writes the other files of the package. `sources` are the paths of all bundled sources. */
const writeOtherFiles = async (sources) => {
  // Node cannot run TypeScript, so this builds the code that writes the files, runs it, and removes it.
  await build({ ...moduleOptions, entryPoints: ['lib/packaging/packaged-files.ts'] })
  const writer = join(outdir, 'packaged-files.mjs')
  const { writePackagedFiles } = await import(pathToFileURL(writer))
  fs.rmSync(writer)
  writePackagedFiles(root, outdir, sources)
}

fs.rmSync(outdir, { recursive: true, force: true })
const metafile = await buildProgram()
const metafiles = [metafile, await buildBin(), await buildLibrary(), await buildLabelPage()]
copySchemas()
await writeOtherFiles(metafiles.flatMap(({ inputs }) => Object.keys(inputs)))
if (flagValues.metafile) fs.writeFileSync(flagValues.metafile, JSON.stringify(metafile))
