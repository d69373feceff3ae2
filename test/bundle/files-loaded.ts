/** A module for `node --import`. It makes Node print `loaded <path>` on stderr for every CommonJS file that it loads. */
export const reportLoadedFiles = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { Module } from 'node:module'
  const load = Module._extensions['.js']
  Module._extensions['.js'] = (module, path) => {
    writeSync(2, 'loaded ' + path + '\\n')
    return load(module, path)
  }
`)}`

/** Returns the names of the files that a run with `reportLoadedFiles` has loaded, in order. */
export const parseLoadedFiles = (stderr: string): ReadonlyArray<string> =>
  [...stderr.matchAll(/^loaded .*[/\\](.+)$/gm)].map(([, name = '']) => name)
