import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTemporaryFolder, root } from '../support/folders'

const test = suite('bundle/package')

const folder = createTemporaryFolder()
/** A copy of the project. */
const project = join(folder, 'source')
const env = {
  // `npm` and `svc` run with the Node that runs this test.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: folder,
  npm_config_update_notifier: 'false',
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const run = (command: string, args: ReadonlyArray<string>): SpawnSyncReturns<string> =>
  spawnSync(command, args, { cwd: project, env, encoding: 'utf8' })

/** Leaves out what the build does not need. Of the thousands of scenario files, one group is enough. */
const isCopied = (path: string): boolean =>
  !/^(?:node_modules|dist|\.git|(?:fixtures|golden)[/\\](?!version\b|README).+)$/.test(
    relative(root, path),
  )

test.before(() => {
  cpSync(root, project, { recursive: true, filter: isCopied })
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
})

test('the package has no dependencies, and its peer dependencies are optional', () => {
  assert.is(manifest.dependencies, undefined)
  for (const name of Object.keys(manifest.peerDependencies))
    assert.is(manifest.peerDependenciesMeta[name]?.optional, true, name)
})

test('npm pack, then a global install of the tarball, gives a working svc', () => {
  const manifestText = readFileSync(join(project, 'package.json'), 'utf8')
  const packed = run('npm', ['pack', '--json', '--pack-destination', folder])
  assert.is(packed.status, 0, packed.stderr)
  assert.is(readFileSync(join(project, 'package.json'), 'utf8'), manifestText)
  const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`)
  const files = run('tar', ['-tzf', tarball]).stdout.trim().split('\n')
  const unexpected = files.filter(
    (path) => !/^package\/(dist\/.+|[A-Z]+(\.md)?|package\.json)$/.test(path),
  )
  assert.equal(unexpected, [])
  for (const path of ['dist/bin.js', 'dist/fixtures.json.gz', 'README.md', 'SECURITY.md'])
    assert.ok(files.includes(`package/${path}`), path)
  const [{ entryCount, unpackedSize }] = JSON.parse(packed.stdout)
  assert.ok(entryCount <= 65, `${entryCount} files`)
  assert.ok(unpackedSize <= 3_900_000, `${unpackedSize} bytes`)
  const packedManifest = JSON.parse(run('tar', ['-xOzf', tarball, 'package/package.json']).stdout)
  assert.equal([packedManifest.scripts, packedManifest.devDependencies], [undefined, undefined])
  const prefix = join(folder, 'global')
  const installArgs = ['install', '--global', '--offline', '--prefix', prefix, tarball]
  const installed = run('npm', installArgs)
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

test('npm refuses to publish as long as package.json names no repository, author and bug tracker', () => {
  const published = run('npm', ['publish', '--dry-run'])
  const hasAuthor = manifest.author !== ''
  assert.is(published.status === 0, hasAuthor)
  if (!hasAuthor)
    assert.match(
      published.stderr,
      'not published: package.json has no repository.url, no author, no bugs.url',
    )
})

test('a build in a git repository records the revision, and if files were modified', () => {
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'state')
  const revision = git('rev-parse', 'HEAD').stdout.slice(0, 7)
  for (const modified of [false, true]) {
    if (modified) rmSync(join(project, 'LICENSE'))
    run(process.execPath, ['esbuild.mjs'])
    const version = run(process.execPath, ['dist/bin.js', 'version'])
    assert.equal(JSON.parse(version.stdout), {
      commit: revision,
      go: process.version,
      modified,
      source: 'vcs',
      version: '(devel)',
    })
  }
})

test.run()
