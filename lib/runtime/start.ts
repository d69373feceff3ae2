import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The first file of the built program. It loads the rest with its code compiled before, as far as there is
 * such code: made by a build on this very Node, or else kept by Node from an earlier run (22.1).
 */

/** Recorded by the bundler: the file that the program begins with, and the V8 that compiled it. */
declare const __SVC_PROGRAM__: string
declare const __SVC_V8__: string

type Wrapped = (exports: unknown, require: (id: string) => unknown, module: NodeJS.Module) => void

/** Runs one of our files as `require` does. V8 itself passes over compiled code that is not for it. */
const load = (path: string): unknown => {
  const loaded = require.cache[path]
  if (loaded !== undefined) return loaded.exports
  const Module = module.constructor as new (id: string) => NodeJS.Module
  const own = new Module(path)
  own.filename = path
  require.cache[path] = own
  const { Script } = process.getBuiltinModule('node:vm')
  const text = `(function(exports,require,module){${readFileSync(path, 'utf8')}\n})`
  const cachedData = compiled(path)
  const script = new Script(text, { filename: path, ...(cachedData && { cachedData }) })
  const run: Wrapped = script.runInThisContext()
  const beside = (id: string): unknown =>
    id.startsWith('./') ? load(join(dirname(path), id)) : own.require(id)
  run(own.exports, beside, own)
  return own.exports
}

/** The compiled code beside a file. */
const compiled = (path: string): Buffer | undefined => {
  try {
    return readFileSync(`${path}.cache`)
  } catch {
    return undefined
  }
}

const program = join(__dirname, __SVC_PROGRAM__)
if (process.versions.v8 === __SVC_V8__) load(program)
else {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    readonly enableCompileCache?: () => unknown
  }
  enableCompileCache?.()
  require(program)
}
