import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

/** What is copied: one group of scenarios stands for the thousands of files that they are. */
const belongs = (path: string): boolean =>
  !/^(?:node_modules|dist|\.git|(?:fixtures|golden)[/\\](?!version\b|README).+)$/.test(
    relative(root, path),
  )

test.before(() => {
  cpSync(root, copy, { recursive: true, filter: belongs })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})

test('has no dependency to install: others are used where they are there already', () => {
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
  assert.ok(entryCount <= 60, `${entryCount} files`)
  assert.ok(unpackedSize <= 3_000_000, `${unpackedSize} bytes`)
  const shipped = JSON.parse(run('tar', ['-xOzf', tarball, 'package/package.json']).stdout)
  assert.equal([shipped.scripts, shipped.devDependencies], [undefined, undefined])
  const prefix = join(base, 'global')
  const args = ['install', '--global', '--offline', '--prefix', prefix, tarball]
  const installed = run('npm', args)
  assert.is(installed.status, 0, installed.stderr)
  assert.not.match(installed.stderr, 'warn')
  if (process.platform !== 'win32')
    for (const page of ['man1/svc.1', 'man1/svc-ask.1', 'man7/svc-exit-codes.7'])
      assert.ok(existsSync(join(prefix, 'share/man', page)), page)
  const version = run(join(prefix, 'bin', 'svc'), ['version'])
  assert.equal(JSON.parse(version.stdout), {
    commit: 'none',
    go: process.version,
    modified: false,
    source: 'module',
    version: manifest.version,
  })
})

/** A program that uses the library; with its types where it is TypeScript. */
const importing = `import { choice, createClient, UsageError } from '${manifest.name}'
import { sample } from '${manifest.name}/measure'
const client = createClient({ apiKey: 'k', maxRetries: 0, baseUrl: 'http://127.0.0.1:1' })
const result = await client.askResult('x', { tone: choice('Which?', ['calm', 'angry']) })
if (result.ok && result.value.answers.tone.type === 'choice') {
  const tone = result.value.answers.tone.choice
  console.log(tone === 'calm')
} else console.log(result.ok ? '' : result.error.kind, new UsageError('', { kind: 'usage', attempts: (await sample([], { size: 1, for: 'review' })).length }).attempts)
`
const wrong =
  "if (result.ok && result.value.answers.tone.type === 'choice') result.value.answers.tone.choice === 'loud'\n"

test('a project imports the library from the tarball, in JavaScript and TypeScript', () => {
  const project = join(base, 'project')
  const write = (name: string, text: string) => writeFileSync(join(project, name), text)
  const inProject = (command: string, args: ReadonlyArray<string>) =>
    spawnSync(command, args, { cwd: project, env, encoding: 'utf8' })
  mkdirSync(project)
  write('package.json', '{"type":"module"}')
  const tarball = join(base, `${manifest.name}-${manifest.version}.tgz`)
  const installed = inProject('npm', ['install', '--offline', tarball])
  assert.is(installed.status, 0, installed.stderr)
  write('program.js', importing)
  const { stdout, stderr } = inProject(process.execPath, ['program.js'])
  assert.equal([stdout, stderr], ['connection 0\n', ''])
  write('other.js', `import '${manifest.name}/dist/library.mjs'`)
  assert.match(inProject(process.execPath, ['other.js']).stderr, 'ERR_PACKAGE_PATH_NOT_EXPORTED')
  write('program.ts', importing)
  write('wrong.ts', importing + wrong)
  const tsc = join(root, 'node_modules/.bin/tsc')
  const settings = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node']
  const roots = ['--typeRoots', join(root, 'node_modules/@types')]
  for (const resolution of ['node16', 'bundler']) {
    const modules = ['--module', resolution === 'node16' ? 'node16' : 'esnext']
    const compile = (file: string) =>
      inProject(tsc, [...settings, ...roots, ...modules, '--moduleResolution', resolution, file])
    const good = compile('program.ts')
    assert.is(good.stdout, '', resolution)
    assert.match(compile('wrong.ts').stdout, /^wrong\.ts\(\d+,\d+\): error TS2367.*\n$/, resolution)
  }
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
