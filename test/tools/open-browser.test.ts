/** Runs `svc label` on a terminal of Python, with a program in place of the one that opens the browser. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTemporaryFolder } from '../support/folders'
import { binFile } from '../support/program'

const test = suite('tools: svc label on a terminal')

test('opens the address that it prints', () => {
  const folder = createTemporaryFolder()
  const questions = '{"questions":{"billing":{"type":"noul","instructions":"Billing?"}}}'
  writeFileSync(join(folder, 'questions.json'), questions)
  writeFileSync(join(folder, 'to-label.csv'), 'index,text,billing.label\n0,a,\n')
  // The program is a child of svc, which it then ends.
  const program = `#!/bin/sh\necho "$1" > '${join(folder, 'opened')}'\nkill -TERM $PPID\n`
  // macOS has `open`, and other systems have `xdg-open`.
  for (const name of ['open', 'xdg-open'])
    writeFileSync(join(folder, name), program, { mode: 0o755 })
  const terminal = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'
  const command = [process.execPath, binFile, 'label', '-i', 'to-label.csv', '-f', 'questions.json']
  const { stdout, status } = spawnSync('python3', ['-c', terminal, ...command], {
    cwd: folder,
    env: { PATH: [folder, process.env.PATH].join(delimiter), DISPLAY: ':0', TERM: 'xterm' },
    encoding: 'utf8',
    timeout: 120_000,
  })
  assert.is(status, 0, stdout)
  const opened = readFileSync(join(folder, 'opened'), 'utf8').trim()
  assert.match(opened, /^http:\/\/127\.0\.0\.1:\d+\/\?key=/)
  assert.match(stdout, 'open this address in your browser:')
  assert.match(stdout, opened)
})

test.run()
