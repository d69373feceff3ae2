import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleOf } from '../support/documents'
import { folder, inShell, type Running, start } from '../support/program'
import { labelTable } from './label-table'

const test = suite('process: the worked examples of the pages')

let service: Running
let env: Readonly<Record<string, string>>

test.before(async () => {
  service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.said(/http:\S+/)).trim()
  env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'demo' }
})

test.before.each(() => {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
})

test.after(async () => {
  service.child.kill()
  await service.ended
})

const readLines = (name: string): ReadonlyArray<string> =>
  withoutMark(readFileSync(join(folder, name), 'utf8'))
    .trimEnd()
    .split('\n')

/** A terminal does not show a byte order mark. */
const withoutMark = (text: string): string => text.replace('\ufeff', '')

/** Request ids are new each time. */
const withoutIds = (text: string): string => withoutMark(text).replace(/req_[0-9a-z]{26}/g, 'req_…')

for (const name of ['try-it', 'worked-example'])
  test(`${name}: every command does what is shown`, async () => {
    const turns = exampleOf('shell', name).split(/^\$ /m).slice(1)
    assert.ok(turns.length > 1)
    let last = 0
    for (const turn of turns) {
      const [, command = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(turn) ?? []
      const { code, stdout, stderr } =
        command === 'echo $?'
          ? { code: 0, stdout: `${last}\n`, stderr: '' }
          : await inShell(command, env)
      last = code ?? -1
      assert.is(withoutIds(stdout + stderr), withoutIds(shown), command)
    }
  })

test('worked-example: what a person labelled are the rows that were drawn', async () => {
  const commands = [...exampleOf('shell', 'worked-example').matchAll(/(?<=^\$ )svc .*/gm)]
  for (const [line] of commands.slice(0, 3)) assert.is((await inShell(line, env)).code, 0)
  const unlabelled = readLines('labelled.csv').map((line) => line.replace(/(TRUE|FALSE)$/, ''))
  assert.equal(readLines('to-label.csv'), unlabelled)
})

test('whole-csv: every line of the README does its part', async () => {
  assert.is((await inShell('svc init tickets', env)).code, 0)
  const labels = new Map(
    readLines('labelled.csv').map((line) => [/C-\d+/.exec(line)?.[0], /\w+$/.exec(line)?.[0]]),
  )
  const labelOf = (fields: ReadonlyMap<string, string>): string =>
    labels.get(fields.get('id')) === 'TRUE' ? 'yes' : 'no'
  for (const line of exampleOf('sh', 'whole-csv').trimEnd().split('\n')) {
    if (line.startsWith('svc label')) {
      const [command = ''] = line.split('#')
      assert.is(await labelTable(command.trim().split(/ +/).slice(1), labelOf), 0)
      continue
    }
    const { code, stderr } = await inShell(line, env)
    assert.is(code, 0, `${line}\n${stderr}`)
  }
  assert.match(readLines('report.html')[0] ?? '', '<!doctype html>')
  const [header = '', ...rows] = readLines('for-a-person.csv')
  assert.match(
    header,
    /^id,text,billing,billing.decision,billing.top,billing.calibrated,billing.outcome,/,
  )
  assert.ok(rows.length > 0 && rows.every((row) => row.includes(',review,')))
})

test('reuse-job: the first job asks every row, the next one only the changed rows', async () => {
  const cases = ['It crashes on start.', 'Thank you, all is well.', 'The export stops half way.']
  const question = { type: 'noul', instructions: 'Is this a bug report?' }
  writeFileSync(join(folder, 'questions.json'), JSON.stringify({ questions: { bug: question } }))
  writeFileSync(
    join(folder, 'cases.csv'),
    ['text,is_bug', ...cases.map((text) => `"${text}",`), ''].join('\n'),
  )
  const { jobs } = load(exampleOf('yaml', 'reuse-job')) as {
    readonly jobs: { readonly cases: { readonly steps: ReadonlyArray<{ readonly run?: string }> } }
  }
  const lines = jobs.cases.steps
    .flatMap(({ run }) => run ?? [])
    .filter((run) => !run.startsWith('npm'))
  const runJob = async (): Promise<unknown> => {
    rmSync(join(folder, 'run.jsonl'), { force: true })
    let summary: unknown
    for (const line of lines) {
      const { code, stdout, stderr } = await inShell(line, env)
      if (line.startsWith('svc batch')) summary = JSON.parse(stdout)
      assert.ok(code === 0 || (line.startsWith('svc gate') && code === 8), `${line}\n${stderr}`)
    }
    const { rows, reused, attempts } = summary as Readonly<Record<string, unknown>>
    return { rows, reused, attempts }
  }
  assert.equal(await runJob(), { rows: 3, reused: 0, attempts: 3 })
  appendFileSync(join(folder, 'cases.csv'), '"One more: it hangs.",\n')
  assert.equal(await runJob(), { rows: 4, reused: 3, attempts: 1 })
})

test.run()
