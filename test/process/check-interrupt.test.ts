/** An interrupted `svc fixtures --check` ends its programs and removes its folders. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTemporaryFolder } from '../support/folders'
import { interruptedResult, startProgram } from '../support/program'
import { until } from '../support/until'

const test = suite('process: svc fixtures --check is interrupted')

/** A program that prints a version, and then runs until it is killed. It writes its process id and that of its child into `PIDS`. */
const hangingProgram = `#!/bin/sh
[ "$1" = version ] && echo '{"commit":"a","go":"b","modified":false,"source":"unknown","version":"c"}' && exit
sleep 300 &
echo $$ $! > "$(dirname "$0")/pids"
wait
`

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  test(`${signal} leaves no program and no folder behind`, async () => {
    const folder = createTemporaryFolder()
    const temporaryFolder = createTemporaryFolder()
    const scenario = join(folder, 'fixtures/own/one')
    mkdirSync(scenario, { recursive: true })
    mkdirSync(join(folder, 'golden/own/one'), { recursive: true })
    writeFileSync(join(folder, 'golden/own/one/exit'), '0\n')
    writeFileSync(join(scenario, 'scenario.json'), '{"title":"own","command":"svc models"}')
    const command = join(folder, 'hang')
    writeFileSync(command, hangingProgram, { mode: 0o755 })
    const { child, ended } = startProgram(['fixtures', '--check', folder, '--command', command], {
      env: { PATH: process.env.PATH ?? '', TMPDIR: temporaryFolder },
    })
    const hasStarted = () => readdirSync(folder).includes('pids') && readPids(folder).length === 2
    await until(hasStarted)
    const pids = readPids(folder)
    child.kill(signal)
    assert.equal(await ended, interruptedResult)
    await until(() => !pids.some(isRunning))
    assert.equal(readdirSync(temporaryFolder), [])
  })

const readPids = (folder: string): ReadonlyArray<number> =>
  readFileSync(join(folder, 'pids'), 'utf8').split(/\s+/).filter(Boolean).map(Number)

test.run()
