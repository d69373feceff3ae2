import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type BuildInfo, resolveVersion } from '../../lib/runtime/build'
import { root } from './folders'

/** The version data of the program under test, in process and built. */
export const testBuild: BuildInfo = {
  version: '1.2.3',
  commit: 'abc1234',
  moduleVersion: '(devel)',
  revision: '',
  modified: false,
}

/** The version data that "svc version" prints for that build. */
export const testVersion = resolveVersion(testBuild, process.version)

/** Builds the program into the folder `dist` of a folder, and writes esbuild's metafile there as `meta.json`. Rejects if the build fails. */
export const buildProgram = async (folder: string): Promise<void> => {
  const args = ['--outdir', join(folder, 'dist'), '--metafile', join(folder, 'meta.json')]
  const build = spawn(process.execPath, ['esbuild.mjs', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, SVC_VERSION: testBuild.version, SVC_COMMIT: testBuild.commit },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr, code] = await Promise.all([
    text(build.stderr),
    new Promise((done) => build.on('close', done)),
  ])
  if (code !== 0) throw new Error(`the program does not build:\n${stderr}`)
  // As in the installed package, in which `dist/package.json` overrides the type.
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
}
