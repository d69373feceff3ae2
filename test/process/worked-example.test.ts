import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readExample } from '../support/documents'
import { folder, type Running, runInShell, start } from '../support/program'
import { labelTable } from './label-table'

const test = suite('process: the worked examples of the pages')

let service: Running
let env: Readonly<Record<string, string>>

test.before(async () => {
  service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.waitForStderr(/http:\S+/)).trim()
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
    const turns = readExample('shell', name).split(/^\$ /m).slice(1)
    assert.ok(turns.length > 1)
    let last = 0
    for (const turn of turns) {
      const [, command = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(turn) ?? []
      const { code, stdout, stderr } =
        command === 'echo $?'
          ? { code: 0, stdout: `${last}\n`, stderr: '' }
          : await runInShell(command, env)
      last = code ?? -1
      assert.is(withoutIds(stdout + stderr), withoutIds(shown), command)
    }
  })

test('worked-example: what a person labelled are the rows that were drawn', async () => {
  const commands = [...readExample('shell', 'worked-example').matchAll(/(?<=^\$ )svc .*/gm)]
  for (const [line] of commands.slice(0, 3)) assert.is((await runInShell(line, env)).code, 0)
  const unlabelled = readLines('labelled.csv').map((line) => line.replace(/(TRUE|FALSE)$/, ''))
  assert.equal(readLines('to-label.csv'), unlabelled)
})

test('whole-csv: every line of the README does its part', async () => {
  assert.is((await runInShell('svc init tickets', env)).code, 0)
  const labels = new Map(
    readLines('labelled.csv').map((line) => [/C-\d+/.exec(line)?.[0], /\w+$/.exec(line)?.[0]]),
  )
  const labelOf = (fields: ReadonlyMap<string, string>): string =>
    labels.get(fields.get('id')) === 'TRUE' ? 'yes' : 'no'
  for (const line of readExample('sh', 'whole-csv').trimEnd().split('\n')) {
    if (line.startsWith('svc label')) {
      const [command = ''] = line.split('#')
      assert.is(await labelTable(command.trim().split(/ +/).slice(1), labelOf), 0)
      continue
    }
    const { code, stderr } = await runInShell(line, env)
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

test.run()
