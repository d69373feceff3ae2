import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTemporaryFolder, root } from '../support/folders'

const test = suite('bundle/package')

const folder = createTemporaryFolder()
/** The folder with a copy of the project. */
const project = join(folder, 'source')
const env = {
  // `npm` and `svc` run with the Node that runs this test.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: folder,
  npm_config_update_notifier: 'false',
}
/** The manifest of the project. */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

// These limits are a little above the values of today, to notice growth.
const maxPackedFiles = 65
const maxUnpackedBytes = 7_000_000
const maxPackedBytes = 4_500_000

const runInProject = (command: string, args: ReadonlyArray<string>): SpawnSyncReturns<string> =>
  spawnSync(command, args, { cwd: project, env, encoding: 'utf8' })

/** Returns `true` for what the copy needs. Of the thousands of files of scenarios, these are the READMEs and the group `version`. */
const isCopied = (path: string): boolean => {
  const relativePath = relative(root, path)
  if (/^(?:dist|\.git|.*\bnode_modules)$/.test(relativePath)) return false
  const [, nameInFolder] = /^(?:fixtures|golden)[/\\](.+)$/.exec(relativePath) ?? []
  return nameInFolder === undefined || /^(?:version\b|README)/.test(nameInFolder)
}

const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`)
/** The output of `npm pack --json`: one entry for each package that npm packs. */
let packedPackages: ReadonlyArray<{
  readonly entryCount: number
  readonly size: number
  readonly unpackedSize: number
}>

test.before(() => {
  cpSync(root, project, { recursive: true, filter: isCopied })
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  const packed = runInProject('npm', ['pack', '--json', '--pack-destination', folder])
  assert.is(packed.status, 0, packed.stderr)
  packedPackages = JSON.parse(packed.stdout)
})

test('the package has no dependencies, and its peer dependencies are optional', () => {
  assert.is(manifest.dependencies, undefined)
  for (const name of Object.keys(manifest.peerDependencies))
    assert.is(manifest.peerDependenciesMeta[name]?.optional, true, name)
})

test('npm pack restores package.json, which it changes', () => {
  const packedFrom = readFileSync(join(project, 'package.json'), 'utf8')
  assert.is(packedFrom, readFileSync(join(root, 'package.json'), 'utf8'))
})

test('the package has the built program, the documents and the manifest', () => {
  const files = runInProject('tar', ['-tzf', tarball]).stdout.trim().split('\n')
  const unexpected = files.filter(
    (path) => !/^package\/(dist\/.+|test\/.+\.(svg|png)|[A-Z]+(\.md)?|package\.json)$/.test(path),
  )
  assert.equal(unexpected, [])
  for (const path of ['dist/bin.js', 'dist/fixtures.json.gz', 'README.md', 'SECURITY.md'])
    assert.ok(files.includes(`package/${path}`), path)
})

test('every link of the README to a file has its file in the package', () => {
  const files = runInProject('tar', ['-tzf', tarball]).stdout.trim().split('\n')
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const targets = Array.from(readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g), ([, target]) => target)
  assert.ok(targets.length > 0)
  assert.equal(
    targets.filter((target) => !files.includes(`package/${target}`)),
    [],
  )
})

test('the package is small', () => {
  const [packed] = packedPackages
  assert.ok(packed)
  assert.ok(packed.entryCount <= maxPackedFiles, `${packed.entryCount} files`)
  assert.ok(packed.unpackedSize <= maxUnpackedBytes, `${packed.unpackedSize} bytes`)
  assert.ok(packed.size <= maxPackedBytes, `${packed.size} bytes packed`)
})

test('the packed manifest has neither scripts nor development dependencies', () => {
  const packedManifest = JSON.parse(
    runInProject('tar', ['-xOzf', tarball, 'package/package.json']).stdout,
  )
  assert.is(packedManifest.name, manifest.name)
  assert.equal([packedManifest.scripts, packedManifest.devDependencies], [undefined, undefined])
})

test('a global install of the package gives a working svc', () => {
  const prefix = join(folder, 'global')
  const installArgs = ['install', '--global', '--offline', '--prefix', prefix, tarball]
  const installed = runInProject('npm', installArgs)
  assert.is(installed.status, 0, installed.stderr)
  assert.not.match(installed.stderr, 'warn')
  const version = runInProject(join(prefix, 'bin', 'svc'), ['version'])
  assert.equal(JSON.parse(version.stdout), {
    commit: 'none',
    // The member has the name that is usual for Go programs.
    go: process.version,
    modified: false,
    source: 'module',
    version: manifest.version,
  })
})

test('npm refuses to publish as long as package.json names no repository, author and bug tracker', () => {
  const published = runInProject('npm', ['publish', '--dry-run'])
  // The owner of the package fills in all three members at once, so the author shows whether npm publishes.
  const isComplete = manifest.author !== ''
  assert.is(published.status === 0, isComplete)
  if (!isComplete)
    assert.match(
      published.stderr,
      'not published: package.json has no repository.url, no author, no bugs.url',
    )
})

test('a build in a git repository records the revision, and whether files were modified', () => {
  const git = (...args: string[]) =>
    runInProject('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'state')
  const revision = git('rev-parse', 'HEAD').stdout.slice(0, 7)
  for (const modified of [false, true]) {
    if (modified) rmSync(join(project, 'LICENSE'))
    runInProject(process.execPath, ['esbuild.mjs'])
    const version = runInProject(process.execPath, ['dist/bin.js', 'version'])
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
