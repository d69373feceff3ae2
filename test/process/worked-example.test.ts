import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readExample } from '../support/documents'
import { runInShell, workingFolder } from '../support/program'
import { type ServeProcess, startServe } from '../support/serve'
import { labelTable } from './label-table'

const test = suite('process: the worked examples of the documentation')

let service: ServeProcess
let env: Readonly<Record<string, string>>

test.before(async () => {
  service = await startServe()
  env = { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'demo' }
})

test.before.each(() => {
  rmSync(workingFolder, { recursive: true })
  mkdirSync(workingFolder)
})

test.after(async () => {
  await service.stop()
})

/** Removes the byte order mark, which a terminal does not show. */
const removeByteOrderMark = (text: string): string => text.replace('\ufeff', '')

/** Replaces request ids, which are new in each run. */
const replaceIds = (text: string): string => text.replace(/req_[0-9a-z]{26}/g, 'req_…')

const readLines = (name: string): ReadonlyArray<string> =>
  removeByteOrderMark(readFileSync(join(workingFolder, name), 'utf8'))
    .trimEnd()
    .split('\n')

/** A command of a console session, with the output that the documentation shows. */
interface ShownCommand {
  readonly command: string
  readonly output: string
}

/** Reads a console session of the documentation. A command can continue on the next line after a backslash. */
const readSession = (name: string): ReadonlyArray<ShownCommand> => {
  // Each turn begins after a prompt. Nothing comes before the first one.
  const turns = readExample('shell', name).split(/^\$ /m).slice(1)
  return turns.map((turn) => {
    const [, command = '', output = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(turn) ?? []
    return { command, output }
  })
}

for (const name of ['try-it', 'worked-example'])
  test(`${name}: every command prints what the documentation shows`, async () => {
    const session = readSession(name)
    assert.ok(session.length > 1)
    let lastCode: number | null = 0
    for (const { command, output } of session) {
      if (command === 'echo $?') {
        assert.is(output, `${lastCode}\n`)
        continue
      }
      const { code, stdout, stderr } = await runInShell(command, env)
      lastCode = code
      assert.is(replaceIds(removeByteOrderMark(stdout + stderr)), replaceIds(output), command)
    }
  })

test('worked-example: the labelled rows are those of the sample', async () => {
  const commands = readSession('worked-example').map(({ command }) => command)
  const svcCommands = commands.filter((command) => command.startsWith('svc '))
  // The third command is `svc sample`, which writes to-label.csv.
  for (const command of svcCommands.slice(0, 3))
    assert.is((await runInShell(command, env)).code, 0, command)
  const withoutLabels = readLines('labelled.csv').map((line) => line.replace(/(TRUE|FALSE)$/, ''))
  assert.equal(readLines('to-label.csv'), withoutLabels)
})

test('whole-csv: every line of the README succeeds', async () => {
  assert.is((await runInShell('svc init tickets', env)).code, 0)
  // A line has the id of a row, such as C-17, and ends with TRUE or FALSE.
  const labels = new Map(
    readLines('labelled.csv').map((line) => [/C-\d+/.exec(line)?.[0], /\w+$/.exec(line)?.[0]]),
  )
  const chooseLabel = (fields: ReadonlyMap<string, string>): string =>
    labels.get(fields.get('id')) === 'TRUE' ? 'yes' : 'no'
  for (const line of readExample('sh', 'whole-csv').trimEnd().split('\n')) {
    if (line.startsWith('svc label')) {
      const [command = ''] = line.split('#')
      const args = command.trim().split(/ +/).slice(1)
      assert.is(await labelTable(args, chooseLabel), 0)
      continue
    }
    const { code, stderr } = await runInShell(line, env)
    assert.is(code, 0, `${line}\n${stderr}`)
  }
  assert.match(readLines('report.html')[0] ?? '', '<!doctype html>')
  const [header = '', ...rows] = readLines('for-a-person.csv')
  const columns = 'id,text,billing,billing.decision,billing.top,billing.calibrated,billing.outcome,'
  assert.ok(header.startsWith(columns), header)
  assert.ok(rows.length > 0)
  for (const row of rows) assert.match(row, ',review,')
})

test.run()
