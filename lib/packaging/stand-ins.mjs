/** Replaces modules that packages load and that svc seldom or never needs. */
import fs from 'node:fs'

/** Exports the members of a module of Node, but loads the module only when one of them is used. */
const lazyModule = (name) =>
  `export default new Proxy({}, { get: (_, member) => process.getBuiltinModule('${name}')[member] })`

/** An esbuild plugin for the program. */
export const standIns = {
  name: 'stand-ins',
  setup: ({ onResolve, onLoad }) => {
    // node-fetch imports TLS and zlib, which most calls do not use. Loading them would cost `ask` over http 16 % more processor
    // time on Node 24, and 3 % on Node 20.
    onResolve({ filter: /^(https|zlib)$/ }, ({ path, importer }) =>
      importer.includes('node-fetch') ? { path, namespace: 'lazy' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => ({ contents: lazyModule(path) }))
    // prom-client imports OpenTelemetry for exemplars, which svc does not use. Any module of Node will do instead.
    onResolve({ filter: /^@opentelemetry.api$/ }, ({ importer }) =>
      importer.includes('prom-client') ? { path: 'node:buffer', external: true } : undefined,
    )
    // OpenTelemetry imports one of six files lazily, to identify the machine. With `require` they stay in the file for tracing.
    onLoad({ filter: /getMachineId\.js$/ }, ({ path }) => ({
      contents: fs.readFileSync(path, 'utf8').replaceAll('await import(', 'require('),
    }))
  },
}
