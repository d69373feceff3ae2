import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { goldenCommit, goldenVersion } from './exchange'
import type { Outcome } from './golden-files'
import { type Named, root } from './scenario'
import { socketService } from './socket-service'
import { workingFolder } from './working-folder'

/** The built program, in a folder that ends with this process. */
export interface Bundle {
  readonly bin: string
  readonly folder: string
  readonly metafile: unknown
}

/** Builds the bundle with a version and commit that never change. */
export const buildBundle = (): Bundle => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bundle-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const outdir = join(folder, 'dist')
  const metafile = join(folder, 'meta.json')
  const args = ['esbuild.mjs', '--outdir', outdir, '--metafile', metafile]
  const env = { PATH: process.env.PATH, SVC_VERSION: goldenVersion, SVC_COMMIT: goldenCommit }
  const built = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the bundle does not build:\n${built.stderr}`)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return {
    bin: join(outdir, 'bin.js'),
    folder: outdir,
    metafile: JSON.parse(readFileSync(metafile, 'utf8')),
  }
}

/** Runs a scenario through the bundle, as a child process against a real socket. */
export const runBundle = async (bundle: Bundle, named: Named): Promise<Outcome> => {
  let interrupt = (_: 'SIGINT' | 'SIGTERM'): void => undefined
  const service = await socketService(named, (signal) => interrupt(signal))
  const { argv, cwd, env, stdin, redact, written, clear } = workingFolder(named, service.baseUrl)
  const child = spawn(process.execPath, [bundle.bin, ...argv], {
    cwd,
    env,
    timeout: 20_000,
  })
  interrupt = (signal) => child.kill(signal)
  // The program may end without reading its input to the end.
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const [stdout, stderr, exit] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    new Promise<number>((done) => child.on('close', (code) => done(code ?? -1))),
  ])
  const problems = await service.close()
  const files = written()
  clear()
  return {
    stdout: redact(stdout.toString()),
    stderr: redact(stderr.toString()),
    exit,
    files,
    problems,
  }
}
