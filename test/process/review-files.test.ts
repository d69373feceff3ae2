import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, runInShell } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'

const test = suite('process: the files of a review')

const answers = {
  covers_00: { type: 'noul', noul: 0.9 },
  contradicts_spec: { type: 'noul', noul: 0.1 },
  thoroughness: { type: 'score', score: 2.5, confidence: 0.5 },
  weakest_area: { type: 'choice', choice: 'none', confidence: 0.5 },
}
const states: string[] = []
const service = await startHttpServer(async (incoming, response) => {
  states.push(JSON.stringify(JSON.parse((await readRequestBody(incoming)).toString()).state))
  response.end(JSON.stringify({ model: 'm', answers }))
})
test.after(() => service.close())
test.before.each(() => {
  states.length = 0
})

const pathInFolder = (name: string): string => join(folder, name)
const configure = (implementation: ReadonlyArray<string>): void => {
  const unit = { name: 'a', spec: 'spec.md', spec_heading: '# A', behaviors: ['adds'] }
  writeFileSync(
    pathInFolder('svc-review.json'),
    JSON.stringify({ units: [{ ...unit, implementation, tests: [] }] }),
  )
}
writeFileSync(pathInFolder('spec.md'), '# A\n')
writeFileSync(pathInFolder('a.ts'), 'const a = 1\n')
mkdirSync(pathInFolder('out'))

const review = async (words = '') => {
  const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
  const { stdout, stderr } = await runInShell(`svc review --json ${words}; echo "exit $?"`, env)
  return { stdout, stderr }
}

const errorOf = (stdout: string): string => JSON.parse(stdout.split('\n')[0] ?? '')[0].error

test('refuses a report that is a file of the run, also through a link', async () => {
  configure(['a.ts'])
  symlinkSync('a.ts', pathInFolder('soft.json'))
  symlinkSync('spec.md', pathInFolder('spec.json'))
  const table = [
    ['--report soft.json', '--report and a.ts name the same file soft.json'],
    [
      `--report '${pathInFolder('a.ts')}'`,
      `--report and a.ts name the same file ${pathInFolder('a.ts')}`,
    ],
    ['--junit spec.json', '--junit and spec.md name the same file spec.json'],
    [
      '--junit svc-review-report.json',
      '--junit and --report name the same file svc-review-report.json',
    ],
  ] as const
  for (const [words, message] of table) {
    const { stdout, stderr } = await review(words)
    assert.is(stderr, `svc: ${message}\n`)
    assert.match(stdout, /exit 1\n$/)
  }
  assert.equal(states, [])
  assert.is(readFileSync(pathInFolder('a.ts'), 'utf8'), 'const a = 1\n')
})

test('a pipe and a link to /proc are errors of their unit, and are not sent', async () => {
  execFileSync('mkfifo', [pathInFolder('pipe')])
  symlinkSync('/proc/self/environ', pathInFolder('environ.ts'))
  symlinkSync('/etc/hostname', pathInFolder('far.ts'))
  const table = [
    ['pipe', 'read implementation pipe: not a regular file'],
    ['/dev/zero', 'read implementation /dev/zero: not a regular file'],
    [
      'environ.ts',
      'read implementation environ.ts: a link leads out of the folder of the configuration; --follow-links allows it',
    ],
    [
      'far.ts',
      'read implementation far.ts: a link leads out of the folder of the configuration; --follow-links allows it',
    ],
  ] as const
  for (const [path, message] of table) {
    configure([path])
    const { stdout } = await review()
    assert.is(errorOf(stdout), message)
    assert.match(stdout, /exit 8\n$/)
  }
  assert.equal(states, [])
  const { stdout } = await review('--follow-links')
  assert.match(stdout, /exit 0\n$/)
  assert.is(states.length, 1)
})

test('reads only the budget of 2 GB of sources', async () => {
  writeFileSync(pathInFolder('big.ts'), '')
  execFileSync('truncate', ['-s', '2G', pathInFolder('big.ts')])
  configure(['big.ts', 'a.ts'])
  const { stdout } = await review('--max-state-bytes 100')
  assert.match(stdout, /"truncated":true/)
  assert.match(stdout, /exit 0\n$/)
  assert.ok((states[0] ?? '').length < 600)
  rmSync(pathInFolder('big.ts'))
})

test('refuses a pipe without a reader as a report before any call', async () => {
  configure(['a.ts'])
  execFileSync('mkfifo', [pathInFolder('report.pipe')])
  const { stdout, stderr } = await review('--report report.pipe')
  assert.is(stderr, 'svc: write report report.pipe: no such device or address\n')
  assert.match(stdout, /exit 1\n$/)
  assert.equal(states, [])
})

test('writes the whole report to a pipe with a reader', async () => {
  // Keeps the program from being faster than its reader.
  const reader = openSync(pathInFolder('report.pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
  const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
  const line = 'cat report.pipe >read.json & svc review --report report.pipe; wait'
  const { stderr } = await runInShell(line, env)
  closeSync(reader)
  assert.is(stderr, 'review: ran 1 units\n')
  assert.is(JSON.parse(readFileSync(pathInFolder('read.json'), 'utf8'))[0].name, 'a')
})

test('saves a report in a temporary file if its path cannot be written', async () => {
  const { stdout, stderr } = await review('--report /dev/full')
  const found =
    /^svc: write report \/dev\/full: no space left on device; it is kept in (\S+)$/m.exec(stderr)
  assert.ok(found, stderr)
  const path = found[1] ?? ''
  assert.is(JSON.parse(readFileSync(path, 'utf8'))[0].name, 'a')
  assert.match(stdout, /"kind":"usage".*\nexit 1\n$/)
  assert.is(states.length, 1)
  rmSync(dirname(path), { recursive: true })
})

test('writes the reports even if stderr cannot be written', async () => {
  configure(['a.ts'])
  const { stdout } = await review('--report out/report.json 2>/dev/full')
  assert.match(stdout, /exit 0\n$/)
  assert.is(JSON.parse(readFileSync(pathInFolder('out/report.json'), 'utf8'))[0].name, 'a')
})

test('a job summary without a reader delays nothing', async () => {
  configure(['a.ts'])
  execFileSync('mkfifo', [pathInFolder('summary.pipe')])
  const env = {
    SERVICE_API_KEY: 'sk-secret',
    SERVICE_BASE_URL: service.url,
    GITHUB_STEP_SUMMARY: pathInFolder('summary.pipe'),
  }
  const { stdout, stderr } = await runInShell('svc review; echo "exit $?"', env)
  assert.match(stdout, /exit 0\n$/)
  assert.match(stderr, 'review: write job summary: no such device or address')
})

test.run()
