import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root, temporaryFolder } from '../support/folders'

const test = suite('bundle: the package')
const base = temporaryFolder()
const copy = join(base, 'source')
/** The Node that runs this test is the one that `svc` finds. */
const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
const env = { PATH: path, HOME: base, npm_config_update_notifier: 'false' }
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const run = (command: string, args: ReadonlyArray<string>): SpawnSyncReturns<string> =>
  spawnSync(command, args, { cwd: copy, env, encoding: 'utf8' })

/** Whether a file is copied. Of the thousands of files of scenarios, one group is enough. */
const belongs = (path: string): boolean =>
  !/^(?:node_modules|dist|\.git|(?:fixtures|golden)[/\\](?!version\b|README).+)$/.test(
    relative(root, path),
  )

test.before(() => {
  cpSync(root, copy, { recursive: true, filter: belongs })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})

test('has no dependency to install, and its peer dependencies are optional', () => {
  assert.is(manifest.dependencies, undefined)
  for (const name of Object.keys(manifest.peerDependencies))
    assert.is(manifest.peerDependenciesMeta[name]?.optional, true, name)
})

test('npm pack, then a global install of the tarball, gives a working svc', () => {
  const written = readFileSync(join(copy, 'package.json'), 'utf8')
  const packed = run('npm', ['pack', '--json', '--pack-destination', base])
  assert.is(packed.status, 0, packed.stderr)
  assert.is(readFileSync(join(copy, 'package.json'), 'utf8'), written)
  const tarball = join(base, `${manifest.name}-${manifest.version}.tgz`)
  const listed = run('tar', ['-tzf', tarball]).stdout.trim().split('\n')
  const strange = listed.filter(
    (path) => !/^package\/(dist\/.+|[A-Z]+(\.md)?|package\.json)$/.test(path),
  )
  assert.equal(strange, [])
  for (const path of ['dist/bin.js', 'dist/fixtures.json.gz', 'README.md', 'SECURITY.md'])
    assert.ok(listed.includes(`package/${path}`), path)
  const [{ entryCount, unpackedSize }] = JSON.parse(packed.stdout)
  assert.ok(entryCount <= 65, `${entryCount} files`)
  assert.ok(unpackedSize <= 3_900_000, `${unpackedSize} bytes`)
  const shipped = JSON.parse(run('tar', ['-xOzf', tarball, 'package/package.json']).stdout)
  assert.equal([shipped.scripts, shipped.devDependencies], [undefined, undefined])
  const prefix = join(base, 'global')
  const args = ['install', '--global', '--offline', '--prefix', prefix, tarball]
  const installed = run('npm', args)
  assert.is(installed.status, 0, installed.stderr)
  assert.not.match(installed.stderr, 'warn')
  const version = run(join(prefix, 'bin', 'svc'), ['version'])
  assert.equal(JSON.parse(version.stdout), {
    commit: 'none',
    go: process.version,
    modified: false,
    source: 'module',
    version: manifest.version,
  })
})

test('npm publish is refused while the manifest does not say whose package it is', () => {
  const published = run('npm', ['publish', '--dry-run'])
  const missing = 'not published: package.json has no repository.url, no author, no bugs.url'
  if (manifest.author === '') assert.match(published.stderr, missing)
  assert.is(published.status === 0, manifest.author !== '')
})

test('a build of a checkout records its revision and whether it was modified', () => {
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'state')
  const revision = git('rev-parse', 'HEAD').stdout.slice(0, 7)
  for (const modified of [false, true]) {
    if (modified) rmSync(join(copy, 'LICENSE'))
    run(process.execPath, ['esbuild.mjs'])
    const { commit, source, version, ...rest } = JSON.parse(
      run(process.execPath, ['dist/bin.js', 'version']).stdout,
    )
    assert.equal([commit, source, version], [revision, 'vcs', '(devel)'])
    assert.is(rest.modified, modified)
  }
})

test.run()
