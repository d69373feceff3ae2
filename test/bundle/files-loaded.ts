/** For `node --import`: writes the path of every CommonJS file that is loaded to stderr, a line each. */
export const reporter = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { Module } from 'node:module'
  const load = Module._extensions['.js']
  Module._extensions['.js'] = (module, path) => {
    writeSync(2, 'loaded ' + path + '\\n')
    return load(module, path)
  }
`)}`

/** The names of the files that such a run reports. */
export const filesLoaded = (stderr: string): ReadonlyArray<string> =>
  [...stderr.matchAll(/^loaded .*[/\\](.+)$/gm)].map(([, name = '']) => name)
