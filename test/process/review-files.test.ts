import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runInShell, workingFolder } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'

const test = suite('process: the files of a review')

/** Answers to the questions of a review. A yes/no question has the type `noul`. */
const answers = {
  covers_00: { type: 'noul', noul: 0.9 },
  contradicts_spec: { type: 'noul', noul: 0.1 },
  thoroughness: { type: 'score', score: 2.5, confidence: 0.5 },
  weakest_area: { type: 'choice', choice: 'none', confidence: 0.5 },
}

/** The states that the running test has sent, as JSON. */
const sentStates: string[] = []
const service = await startHttpServer(async (incoming, response) => {
  const body = await readRequestBody(incoming)
  sentStates.push(JSON.stringify(JSON.parse(body.toString()).state))
  response.end(JSON.stringify({ model: 'm', answers }))
})
test.after(() => service.close())

const pathInFolder = (name: string): string => join(workingFolder, name)

/** Writes a configuration with one unit: a section of the specification, and the files that implement it. */
const configure = (implementation: ReadonlyArray<string>): void => {
  const unit = {
    name: 'a',
    spec: 'spec.md',
    spec_heading: '# A',
    behaviors: ['adds'],
    implementation,
    tests: [],
  }
  writeFileSync(pathInFolder('svc-review.json'), JSON.stringify({ units: [unit] }))
}

test.before.each(() => {
  sentStates.length = 0
  rmSync(workingFolder, { recursive: true })
  mkdirSync(workingFolder)
  writeFileSync(pathInFolder('spec.md'), '# A\n')
  writeFileSync(pathInFolder('a.ts'), 'const a = 1\n')
  configure(['a.ts'])
})

const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }

/** Runs `svc review --json`. The last line of stdout is `exit` and the exit code. */
const runReview = (flags = '', moreEnv: Readonly<Record<string, string>> = {}) =>
  runInShell(`svc review --json ${flags}; echo "exit $?"`, { ...env, ...moreEnv })

/** Reads the name of the unit in a report. */
const readUnitName = (reportPath: string): string =>
  JSON.parse(readFileSync(reportPath, 'utf8'))[0].name

const sourcePath = pathInFolder('a.ts')
const refusedReports = [
  { flags: '--report link.json', message: '--report and a.ts name the same file link.json' },
  {
    flags: `--report '${sourcePath}'`,
    message: `--report and a.ts name the same file ${sourcePath}`,
  },
  {
    flags: '--junit spec-link.json',
    message: '--junit and spec.md name the same file spec-link.json',
  },
] as const
for (const { flags, message } of refusedReports)
  test(`refuses a report that is another file of the run, by a link or a full path: ${flags}`, async () => {
    symlinkSync('a.ts', pathInFolder('link.json'))
    symlinkSync('spec.md', pathInFolder('spec-link.json'))
    const { stdout, stderr } = await runReview(flags)
    assert.is(stderr, `svc: ${message}\n`)
    assert.match(stdout, /exit 1\n$/)
    assert.equal(sentStates, [])
    assert.is(readFileSync(sourcePath, 'utf8'), 'const a = 1\n')
  })

const linkMessage = 'a link leads out of the folder of the configuration; --follow-links allows it'
const refusedSources = [
  { path: 'pipe', message: 'read implementation pipe: not a regular file' },
  { path: 'environ.ts', message: `read implementation environ.ts: ${linkMessage}` },
] as const

/** Creates a named pipe and two links that lead out of the folder. */
const createUnusualSources = (): void => {
  execFileSync('mkfifo', [pathInFolder('pipe')])
  symlinkSync('/proc/self/environ', pathInFolder('environ.ts'))
  symlinkSync('/etc/hostname', pathInFolder('far.ts'))
}

for (const { path, message } of refusedSources)
  test(`fails a unit whose source is ${path}, and does not send it`, async () => {
    createUnusualSources()
    configure([path])
    const { stdout } = await runReview()
    const [report = ''] = stdout.split('\n')
    assert.is(JSON.parse(report)[0].error, message)
    assert.match(stdout, /exit 8\n$/)
    assert.equal(sentStates, [])
  })

test('reads a source behind a link out of the folder with --follow-links', async () => {
  createUnusualSources()
  configure(['far.ts'])
  const { stdout } = await runReview('--follow-links')
  assert.match(stdout, /exit 0\n$/)
  assert.is(sentStates.length, 1)
})

test('reads a source of 2 GB only up to --max-state-bytes', async () => {
  execFileSync('truncate', ['-s', '2G', pathInFolder('big.ts')])
  configure(['big.ts', 'a.ts'])
  const { stdout } = await runReview('--max-state-bytes 100')
  assert.match(stdout, '"truncated":true')
  assert.match(stdout, /exit 0\n$/)
  // The state has the sources, of at most 100 bytes, and other members such as the section of the specification.
  assert.ok((sentStates[0] ?? '').length < 600)
})

test('refuses a pipe without a reader as a report before any call', async () => {
  execFileSync('mkfifo', [pathInFolder('report.pipe')])
  const { stdout, stderr } = await runReview('--report report.pipe')
  assert.is(stderr, 'svc: write report report.pipe: no such device or address\n')
  assert.match(stdout, /exit 1\n$/)
  assert.equal(sentStates, [])
})

test('writes the whole report to a pipe with a reader', async () => {
  execFileSync('mkfifo', [pathInFolder('report.pipe')])
  // The shell opens the pipe for writing too, which waits until `cat` reads. svc starts after that.
  const review = 'exec 3> report.pipe; svc review --report report.pipe; exec 3>&-; wait'
  const { stderr } = await runInShell(`cat report.pipe > report.json & ${review}`, env)
  assert.is(stderr, 'review: ran 1 units\n')
  assert.is(readUnitName(pathInFolder('report.json')), 'a')
})

test('saves a report in a temporary file if its path cannot be written', async () => {
  const { stdout, stderr } = await runReview('--report /dev/full')
  const message =
    /^svc: write report \/dev\/full: no space left on device; it was saved in (\S+)$/m.exec(stderr)
  assert.ok(message, stderr)
  const temporaryPath = message[1] ?? ''
  assert.is(readUnitName(temporaryPath), 'a')
  assert.match(stdout, /"kind":"usage".*\nexit 1\n$/)
  assert.is(sentStates.length, 1)
  rmSync(dirname(temporaryPath), { recursive: true })
})

test('writes the reports even if stderr cannot be written', async () => {
  const { stdout } = await runReview('--report report.json 2>/dev/full')
  assert.match(stdout, /exit 0\n$/)
  assert.is(readUnitName(pathInFolder('report.json')), 'a')
})

test('does not wait for a reader of the job summary', async () => {
  const summary = pathInFolder('summary.pipe')
  execFileSync('mkfifo', [summary])
  const { stdout, stderr } = await runReview('', { GITHUB_STEP_SUMMARY: summary })
  assert.match(stdout, /exit 0\n$/)
  assert.match(stderr, 'review: write job summary: no such device or address')
})

test.run()
