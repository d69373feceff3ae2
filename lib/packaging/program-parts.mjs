/** How the build divides the program into files: plugins for esbuild, and the conversion of its files to CommonJS. */
import fs from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { transform } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/**
 * The parts of the program that have several files. A lazy import such as `import('./run/ask')` loads the whole part that
 * has the file. The other commands are the part `commands`, and any other file that is imported lazily is a part by itself.
 *
 * Without parts, esbuild would write 137 files for the program, since it also writes a file for every group of sources that
 * the same lazy imports share. `svc version` would then load 30 files instead of 3, and take 1.35 times as long on Node 20.
 *
 * A part exports what its files export, so no two of them may export the same name.
 */
const parts = {
  /** Needed for every call of a service. The dialects `decisions` and `gemini` are parts by themselves, but share code with these. */
  call: [
    'commands/program',
    'commands/run/ask',
    'commands/run/models',
    'lib/cli/key-file',
    'lib/client/dialects/decode-answers',
    'lib/client/dialects/encode-document',
    'lib/client/dialects/decode-failure',
    'lib/client/dialects/questions',
    'lib/client/dialects/systemone',
    'lib/client/providers/table',
    'lib/codec/json/output',
  ],
  help: [
    'commands/run/completion',
    'commands/run/help',
    'lib/cli/help',
    'lib/help/tickets',
    'lib/help/topics',
  ],
  /** Commands that are large and seldom run. */
  services: [
    'commands/run/fixtures',
    'commands/run/label',
    'commands/run/mcp',
    'commands/run/review',
    'commands/run/serve',
    'lib/replay/record-run',
    'lib/review/config',
  ],
  /** Files that the other commands import lazily. */
  commands: [
    'lib/client/ask/permute',
    'lib/measure/answer-table',
    'lib/runs/gate/requirements',
    'lib/runs/policy/decode',
    'lib/runtime/node/output-file',
  ],
}

const commands = fs
  .readdirSync(join(root, 'commands/run'))
  .map((name) => `commands/run/${basename(name, '.ts')}`)
const named = new Set(Object.values(parts).flat())
parts.commands.push(...commands.filter((file) => !named.has(file)))

/**
 * Makes the parts. esbuild writes a file for each part, and a file for every group of sources that several parts use. To
 * keep these few, each part also imports the files of `call`, which include the start of the program.
 */
export const makeParts = {
  name: 'make-parts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
      if (kind !== 'dynamic-import' || importer.includes('node_modules')) return undefined
      const file = relative(root, resolve(dirname(importer), path)).replaceAll('\\', '/')
      const name = Object.keys(parts).find((part) => parts[part].includes(file)) ?? basename(file)
      return { path: name, namespace: 'part', pluginData: parts[name] ?? [file] }
    })
    onLoad({ filter: /./, namespace: 'part' }, ({ pluginData: files }) => {
      const lines = [
        ...parts.call.map((file) => `import './${file}'`),
        ...files.map((file) => `export * from './${file}'`),
      ]
      return { contents: lines.join('\n'), resolveDir: root }
    })
    // OpenTelemetry loads one of six files to find the machine's identity. They stay in its part.
    onLoad({ filter: /getMachineId\.js$/ }, ({ path }) => ({
      contents: fs.readFileSync(path, 'utf8').replaceAll('await import(', 'require('),
    }))
  },
}

/** Replaces modules that packages load and seldom or never use. */
export const standIns = {
  name: 'stand-ins',
  setup: ({ onResolve, onLoad }) => {
    // TLS and zlib load when node-fetch uses them. Otherwise `ask` over http takes 16 % more processor time on Node 24, and
    // 3 % more on Node 20.
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

/**
 * Turns a file of the program into CommonJS. esbuild can only split ES modules, but Node starts CommonJS sooner (`ask` on
 * Node 20: 57 ms instead of 77 to 100). Imports become constants here: in esbuild's own CommonJS each use of an import
 * calls two getters, so `svc gate` takes 1.4 times the processor time, and each start takes 0.6 ms more.
 */
export const toCommonJs = async (text, style) => {
  const constants = text
    .replace(/\bimport\{([^}]*)\}from("\.[^"]+");/g, (_, names, path) => {
      return `const{${names.replaceAll(' as ', ':')}}=require(${path});`
    })
    .replace(/\bexport\{([^}]*)\};\s*$/, (_, names) => {
      return `module.exports={${names.replace(/([\w$]+) as ([\w$]+)/g, '$2:$1')}};`
    })
  return (await transform(constants, style)).code
}
