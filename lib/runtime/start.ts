import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * The first file of the built program. It loads the rest with its code compiled before, as far as there is
 * such code: made by a build on this very Node, or else kept by Node from an earlier run (22.1).
 */

/** Recorded by the bundler: the file that the program begins with, and the machine that compiled it. */
declare const __SVC_PROGRAM__: string
declare const __SVC_COMPILED_FOR__: string

/** As Node spells it when other files ask for ours, or some would be loaded twice. */
const folder = realpathSync.native(__dirname)

type Part = (exports: unknown, require: (id: string) => unknown, module: NodeJS.Module) => void

/**
 * The files of a call by name, as functions of one script: reading one takes less than reading each. Compiled
 * code that is not there, or that V8 does not take (its flags differ), is made anew.
 */
const compiledParts = (): Readonly<Record<string, Part>> => {
  const { Script } = process.getBuiltinModule('node:vm')
  const filename = join(folder, 'compiled.js')
  const cachedData = codeOf(filename)
  const text = readFileSync(filename, 'utf8')
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
    if (require.cache[path] !== undefined) return require(path)
    const part = parts[basename(path)]
    if (part === undefined) {
      keepCompiled()
      return require(path)
    }
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

/** Has Node keep the compiled code of what it loads from now on, where it can. */
const keepCompiled = (): void => {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    readonly enableCompileCache?: () => unknown
  }
  enableCompileCache?.()
}

const { arch, platform, versions } = process
const program = join(folder, __SVC_PROGRAM__)
if (`${versions.v8} ${platform} ${arch}` === __SVC_COMPILED_FOR__) loader(compiledParts())(program)
else {
  keepCompiled()
  require(program)
}
