import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * The first file of the built program. It loads the rest with its code compiled before, as far as there is
 * such code: made by a build on this very Node, or else kept by Node from an earlier run (22.1).
 */

/** Recorded by the bundler: the file that the program begins with, and the V8 that compiled it. */
declare const __SVC_PROGRAM__: string
declare const __SVC_V8__: string

type Part = (exports: unknown, require: (id: string) => unknown, module: NodeJS.Module) => void

/**
 * The files of a call by name, as functions of one script: one reads, and V8 takes in, less than two. V8
 * itself passes over compiled code that is not for the script.
 */
const compiledParts = (): Readonly<Record<string, Part>> => {
  const { Script } = process.getBuiltinModule('node:vm')
  const filename = join(__dirname, 'compiled.js')
  const cachedData = codeOf(filename)
  const text = readFileSync(filename, 'latin1')
  return new Script(text, { filename, ...(cachedData && { cachedData }) }).runInThisContext()
}

const codeOf = (path: string): Buffer | undefined => {
  try {
    return readFileSync(`${path}.cache`)
  } catch {
    return undefined
  }
}

/** `require` for files of ours, those among the parts included. */
const loader = (parts: Readonly<Record<string, Part>>) => {
  const Module = module.constructor as new (id: string) => NodeJS.Module
  const load = (path: string): unknown => {
    const part = parts[basename(path)]
    if (part === undefined || require.cache[path] !== undefined) return require(path)
    const own = new Module(path)
    own.filename = path
    require.cache[path] = own
    const beside = (id: string): unknown =>
      id.startsWith('./') ? load(join(dirname(path), id)) : require(id)
    part(own.exports, beside, own)
    own.loaded = true
    return own.exports
  }
  return load
}

const program = join(__dirname, __SVC_PROGRAM__)
if (process.versions.v8 === __SVC_V8__) loader(compiledParts())(program)
else {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    readonly enableCompileCache?: () => unknown
  }
  enableCompileCache?.()
  require(program)
}
