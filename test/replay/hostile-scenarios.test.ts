/** Folders of scenarios from strangers: `svc fixtures --check` must be as safe as reading a file. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeUnsafeCommand } from '../../lib/cli/safe-command'
import { replaceLinkFreeFile } from '../../lib/replay/link-free-files'
import { listScenarioFaults } from '../../lib/replay/scenario-faults'
import { describePathFault } from '../../lib/replay/scenario-paths'
import { scenarioVariables } from '../../lib/replay/scenario-variables'
import { listFiles } from '../../lib/replay/scenarios'
import { commands } from '../support/commands'
import { readPage } from '../support/documents'
import { createTemporaryFolder } from '../support/folders'
import { runProgram } from '../support/program'

const test = suite('replay: scenarios from strangers')

const listFaults = (scenario: unknown): string =>
  listScenarioFaults(Buffer.from(JSON.stringify(scenario))).join('\n')

test('a path that could lead out of its folder is refused, on every platform', () => {
  const paths = [
    '',
    '/a',
    '\\a',
    '\\\\host\\a',
    'C:a',
    'c:\\a',
    '..',
    '../a',
    'a/../../b',
    'a\\..\\b',
    '.. /a',
    'a\0',
  ]
  for (const path of paths) assert.ok(describePathFault(path), JSON.stringify(path))
  for (const path of ['a', './a', 'a..b/c', '..a', 'a/...b', 'ü/ 😀'])
    assert.is(describePathFault(path), undefined, path)
})

test('every member of a scenario that is a path is checked', () => {
  const exchange = (request: object, response: object) => ({
    exchanges: [{ request: { method: 'GET', path: '/', ...request }, response }],
  })
  const members: ReadonlyArray<object> = [
    { files: { '../x': '' } },
    { files: { '/x': { folder: true } } },
    { files: { x: { file: '../x' } } },
    { files: { x: ['', [{ file: '../x' }]] } },
    { stdin: { file: '../../etc/hostname' } },
    { conversation: '../x' },
    { crlf: ['../x'] },
    exchange({ bodyFile: '../x' }, {}),
    exchange({}, { bodyFile: '../x' }),
    exchange({}, { bodyText: { file: '../x' } }),
    exchange({}, { raw: [{ file: '../x' }] }),
  ]
  for (const member of members)
    assert.match(
      listFaults({ title: 'own', ...member }),
      /has "\.\."|absolute/,
      JSON.stringify(member),
    )
})

test('a scenario sets only variables that svc reads, and paths below its folder', () => {
  const names = [
    'NODE_OPTIONS',
    'node_options',
    'PATH',
    'Path',
    'LD_PRELOAD',
    'HOME',
    'SVC_CONFINED_PORT',
    'TMPDIR',
    '__proto__',
  ]
  for (const name of names)
    assert.match(
      listFaults(JSON.parse(`{"title":"own","env":{"${name}":"x"}}`)),
      'svc does not read',
      name,
    )
  for (const name of [
    'GITHUB_STEP_SUMMARY',
    'OTEL_CONFIG_FILE',
    'SERVICE_API_KEY_FILE',
    'NODE_EXTRA_CA_CERTS',
    'XDG_CACHE_HOME',
  ])
    for (const value of ['/etc/x', '../x', '{cwd}/../x'])
      assert.ok(listFaults({ title: 'own', env: { [name]: value } }), `${name}=${value}`)
  assert.is(
    listFaults({ title: 'own', env: { GITHUB_STEP_SUMMARY: '{cwd}/x', https_proxy: 'http://a' } }),
    '',
  )
})

test('a scenario may set every variable that the help pages list', () => {
  const pages = ['environment', 'tracing', 'providers'].map((name) =>
    readPage(`lib/help/topics/${name}.md`),
  )
  const cells = pages.join('\n').match(/^\|[^|]*\|[^|]*\|/gm) ?? []
  const names = new Set(cells.join().match(/\b[A-Z]+_[A-Z_]+\b/g))
  assert.ok(names.size > 30)
  // These decide how Node runs.
  for (const name of ['NODE_TLS_REJECT_UNAUTHORIZED']) names.delete(name)
  assert.equal(
    [...names].filter((name) => !scenarioVariables.has(name)),
    [],
  )
})

const describeCommand = (command: string) =>
  describeUnsafeCommand({ scenario: { title: 'own', command } }, commands)

test('a path outside the working folder is refused, however its flag is spelled', () => {
  const unsafeCommands = [
    'svc review init --units /x.json',
    'svc review init --units=/x.json',
    'svc review --units ../x.json',
    'svc ask -f/etc/passwd',
    'svc ask -f /etc/passwd',
    'svc ask --file=C:x',
    'svc ask --state @/etc/passwd --noul a=b',
    'svc ask --state=@../x --noul a=b',
    "svc ask '-f' '{cwd}/../x'",
    'svc ask --record /tmp/x --state a --noul a=b',
    'svc batch -i a -o ..\\\\x',
    'svc batch --pretty -i a -o /dev/full',
    'svc compare /a b',
    'svc compare -- a /b',
    'svc ask --unknown=/etc/passwd',
    'svc ask --unknown @/etc/passwd',
    'svc ask -u/etc/passwd',
  ]
  for (const command of unsafeCommands) assert.ok(describeCommand(command), command)
  for (const command of ['svc fixtures x', 'svc --pretty serve', 'svc label -i a'])
    assert.match(describeCommand(command) ?? '', 'does not run', command)
  for (const command of [
    'svc ask -f ./a.json',
    'svc ask --state /etc/passwd --noul a=../b',
    'svc batch -i - -o {cwd}/a',
  ])
    assert.is(describeCommand(command), undefined, command)
})

test('every flag whose help names a path or a folder is declared as one', () => {
  for (const { name, flags } of commands)
    for (const flag of flags) {
      // `ask --get` has a path in the answer, not of a file.
      const namesPath = flag.name !== 'get' && /^(?:path|folder|file)$/.test(flag.placeholder ?? '')
      assert.ok(!namesPath || flag.isFile || flag.isFolder, `${name} --${flag.name}`)
    }
})

/** Writes scenarios by name into a new folder. */
const writeScenarios = (scenarios: Readonly<Record<string, unknown>>): string => {
  const folder = createTemporaryFolder()
  for (const [name, scenario] of Object.entries(scenarios)) {
    mkdirSync(join(folder, 'fixtures', name), { recursive: true })
    writeFileSync(join(folder, 'fixtures', name, 'scenario.json'), JSON.stringify(scenario))
  }
  return folder
}

const versionScenario = { title: 'own', command: 'svc --version' }

test('an invalid scenario is one failure, and the others run', async () => {
  const invalid = [
    { title: 'own', comand: 'svc version' },
    [],
    'x',
    { title: 'own', exchanges: 7 },
    { ...versionScenario, version: 2 },
  ]
  const folder = writeScenarios({
    'own/ok': versionScenario,
    ...Object.fromEntries(invalid.map((scenario, i) => [`own/bad-${i}`, scenario])),
  })
  mkdirSync(join(folder, 'fixtures/own/syntax'))
  writeFileSync(join(folder, 'fixtures/own/syntax/scenario.json'), '{"title"')
  const { code, stdout, stderr } = await runProgram(['fixtures', '--check', folder, '--update'], {
    env: {},
  })
  assert.is(code, 8)
  assert.is(stderr, 'fixtures: 6 of 7 scenarios differ\n')
  const { passed, failed } = JSON.parse(stdout)
  assert.is(passed, 1)
  assert.equal(
    failed.map(({ problems }: { problems: ReadonlyArray<string> }) => problems[0]?.slice(0, 36)),
    [
      'the document has an unknown member "',
      'the document must be object',
      'the document must be object',
      'exchanges must be array',
      'version 2 needs a later svc',
      failed[5].problems[0].slice(0, 36),
    ],
  )
})

test('a scenario that must run in process is left out', async () => {
  const folder = writeScenarios({
    'own/ok': versionScenario,
    'own/terminal': {
      title: 'own terminal',
      command: 'svc no-such-command',
      only: 'in-process',
      why: 'a terminal',
    },
  })
  const { code, stdout } = await runProgram(['fixtures', '--check', folder, '--update'], {
    env: {},
  })
  assert.is(code, 0)
  assert.is(stdout, '{"scenarios":1,"passed":1,"recordings":0,"failed":[]}\n')
  assert.not.ok(existsSync(join(folder, 'golden/own/terminal')))
})

test('a golden beside a scenario without a command is one failure', async () => {
  const folder = writeScenarios({ 'own/recording': { title: 'own' } })
  mkdirSync(join(folder, 'golden/own/recording/files'), { recursive: true })
  for (const file of ['exit', 'files/a'])
    writeFileSync(join(folder, 'golden/own/recording', file), '')
  const { code, stdout } = await runProgram(['fixtures', '--check', folder], { env: {} })
  assert.is(code, 8)
  assert.is(JSON.parse(stdout).failed.length, 1)
  assert.is(JSON.parse(stdout).recordings, 1)
})

test('a folder without scenarios is a usage error', async () => {
  const { code, stderr } = await runProgram(['fixtures', '--check', createTemporaryFolder()], {
    env: {},
  })
  assert.is(code, 1)
  assert.match(stderr, /: no scenario in /)
})

test('--update writes nothing through a link, and names it', async () => {
  for (const link of ['golden', 'golden/own', 'golden/own/one']) {
    const outside = createTemporaryFolder()
    mkdirSync(join(outside, 'own/one'), { recursive: true })
    for (const name of ['one', 'own/one']) mkdirSync(join(outside, name), { recursive: true })
    writeFileSync(join(outside, 'own/one/precious'), '')
    writeFileSync(join(outside, 'one/precious'), '')
    const folder = writeScenarios({ 'own/one': versionScenario })
    mkdirSync(join(folder, link, '..'), { recursive: true })
    symlinkSync(outside, join(folder, link))
    const { code, stderr } = await runProgram(['fixtures', '--check', folder, '--update'], {
      env: {},
    })
    assert.is(code, 1, link)
    assert.match(stderr, `${join(folder, link)} is a link`)
    assert.equal(listFiles(outside), ['one/precious', 'own/one/precious'])
  }
})

test('a folder that is swapped for a link again and again is never followed', () => {
  const root = createTemporaryFolder()
  const outside = createTemporaryFolder()
  mkdirSync(join(root, 'a'))
  symlinkSync(outside, join(root, 'link'))
  let refused = 0
  for (let i = 0; i < 200; i++) {
    const [from, to] = i % 2 === 0 ? ['link', 'a'] : ['a', 'link']
    renameSync(join(root, to ?? ''), join(root, 'aside'))
    renameSync(join(root, from ?? ''), join(root, to ?? ''))
    renameSync(join(root, 'aside'), join(root, from ?? ''))
    try {
      replaceLinkFreeFile(root, 'a/file', 'x')
    } catch {
      refused += 1
    }
  }
  assert.ok(refused > 0)
  assert.equal(listFiles(outside), [])
})

test('a link that leads out of the scenario is a failure', async () => {
  const outside = createTemporaryFolder()
  writeFileSync(join(outside, 'secret'), 'secret')
  const folder = writeScenarios({
    'own/one': { ...versionScenario, stdin: { file: 'link' } },
    'own/two': versionScenario,
  })
  symlinkSync(join(outside, 'secret'), join(folder, 'fixtures/own/one/link'))
  symlinkSync(outside, join(folder, 'fixtures/linked'))
  const { code, stdout } = await runProgram(['fixtures', '--check', folder, '--update'], {
    env: {},
  })
  assert.is(code, 8)
  assert.equal(
    JSON.parse(stdout).failed.map(({ scenario }: { scenario: string }) => scenario),
    ['linked', 'own/one'],
  )
  assert.is(JSON.parse(stdout).passed, 1)
})

test('a config file of a scenario cannot name files outside', async () => {
  const outside = join(createTemporaryFolder(), 'secret.md')
  writeFileSync(outside, '## S\nsecret\n')
  const unit = {
    name: 'a',
    spec: outside,
    spec_heading: '## S',
    implementation: [outside],
    behaviors: ['b'],
  }
  const folder = writeScenarios({
    'own/one': {
      title: 'own',
      command: 'svc review --json',
      files: { 'svc-review.json': JSON.stringify({ units: [unit] }) },
    },
  })
  const { code } = await runProgram(['fixtures', '--check', folder, '--update'], { env: {} })
  assert.is(code, 0)
  const golden = readFileSync(join(folder, 'golden/own/one/stdout'), 'utf8')
  assert.match(golden, 'permission denied')
})

/** Finds an address of this machine that is not a loopback address; `undefined` on a machine without a network. */
const findOtherAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

test('a command connects only to its own service, whatever its flags, variables and proxies say', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end('{}')).on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, () => resolve()))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const ask = 'svc ask --state a --noul a=b --max-retries 0'
  const scenarios: Record<string, unknown> = {}
  for (const host of ['127.0.0.1', 'localhost', '[::1]', findOtherAddress() ?? '192.0.2.1']) {
    const url = `http://${host}:${port}`
    const name = host.replace(/\W/g, '-')
    scenarios[`own/flag-${name}`] = {
      title: 'own',
      command: `${ask} --base-url ${url} --api-key k`,
    }
    scenarios[`own/variable-${name}`] = {
      title: 'own',
      command: ask,
      env: { SERVICE_BASE_URL: url },
    }
    scenarios[`own/trace-${name}`] = {
      title: 'own',
      command: `${ask} --base-url http://127.0.0.1:1 --api-key k`,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
    }
    scenarios[`own/proxy-${name}`] = {
      title: 'own',
      command: `${ask} --base-url http://service.example --api-key k`,
      env: { http_proxy: url },
    }
    scenarios[`own/secure-${name}`] = {
      title: 'own',
      command: `${ask} --base-url https://service.example --api-key k`,
      env: { HTTPS_PROXY: url },
    }
  }
  const folder = writeScenarios(scenarios)
  const { code, stdout } = await runProgram(['fixtures', '--check', folder, '--update'], {
    env: {},
  })
  server.close()
  assert.is(code, 0, stdout)
  assert.is(connections, 0)
  const goldens = Object.keys(scenarios).map((name) =>
    readFileSync(join(folder, 'golden', name, 'stderr'), 'utf8'),
  )
  assert.ok(goldens.every((stderr) => stderr !== ''))
})

test.run()
