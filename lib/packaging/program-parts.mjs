/** How the build divides the program into files: plugins for esbuild, and the conversion of its files to CommonJS. */
import fs from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { transform } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/**
 * The parts of the program, and the files of each. A lazy import such as `import('./run/ask')` loads the part that has
 * the file, so every file that is imported lazily must be named here. There are few parts, since Node takes 0.3 ms to
 * find and read a file. A part exports what its files export, so no two of these may export the same name.
 */
const parts = {
  call: [
    'commands/program',
    'commands/run/ask',
    'commands/run/models',
    'lib/cli/key-file',
    'lib/client/dialects/answers',
    'lib/client/dialects/contents',
    'lib/client/dialects/failures',
    'lib/client/dialects/questions',
    'lib/client/dialects/systemone',
    'lib/client/providers/table',
    'lib/codec/json/output',
  ],
  fetch: ['lib/runtime/http/fetch'],
  proxy: ['lib/runtime/http/proxy-agent'],
  decisions: ['lib/client/dialects/decisions'],
  gemini: ['lib/client/dialects/gemini'],
  tracing: ['lib/tracing/set-up'],
  help: [
    'commands/run/completion',
    'commands/run/help',
    'lib/cli/help',
    'lib/help/topics',
    'lib/help/tickets',
  ],
  rows: [
    'commands/run/batch',
    'commands/run/calibrate',
    'commands/run/cascade',
    'commands/run/compare',
    'commands/run/doctor',
    'commands/run/eval',
    'commands/run/gate',
    'commands/run/init',
    'commands/run/sample',
    'commands/run/select',
    'commands/run/share',
    'lib/measure/answer-table',
    'lib/client/ask/permute',
    'lib/runs/gate/requirements',
    'lib/runs/policy/decode',
    'lib/runtime/node/output-file',
  ],
  services: [
    'commands/run/fixtures',
    'commands/run/label',
    'commands/run/mcp',
    'commands/run/review',
    'commands/run/serve',
    'lib/replay/record-run',
    'lib/review/config',
  ],
}

/**
 * Makes the parts. esbuild writes a file for each part, and a file for every group of sources that the same parts use. To
 * keep these few, each part also imports the files of `call`, which the program is one of.
 */
export const makeParts = {
  name: 'make-parts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
      if (kind !== 'dynamic-import') return undefined
      const file = relative(root, resolve(dirname(importer), path)).replaceAll('\\', '/')
      const part = Object.keys(parts).find((name) => parts[name].includes(file))
      if (part !== undefined) return { path: part, namespace: 'part' }
      const text = `${file} is in no part of the program: name it in lib/packaging/program-parts.mjs`
      return { errors: [{ text }] }
    })
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => {
      const lines = [
        ...parts.call.map((file) => `import './${file}'`),
        ...parts[path].map((file) => `export * from './${file}'`),
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
