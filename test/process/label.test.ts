import { once } from 'node:events'
import { readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTemporaryFolder } from '../support/folders'
import { runProgram, startProgram } from '../support/program'

const test = suite('process: svc label')

/** Writes a table to label and its questions into a new folder. `args` returns the arguments that label a file in it. */
const writeTable = () => {
  const folder = createTemporaryFolder()
  const questions = join(folder, 'questions.json')
  writeFileSync(
    join(folder, 'to-label.csv'),
    'index,id,text,billing.label\n0,t-0,I was charged twice.,\n',
  )
  // A yes/no question has the type `noul`.
  writeFileSync(questions, '{"questions":{"billing":{"type":"noul","instructions":"Billing?"}}}')
  return { folder, args: (name: string) => ['label', '-i', join(folder, name), '-f', questions] }
}

test('exits with 0 after SIGTERM although a browser holds a connection that it has not used', async () => {
  const program = startProgram(writeTable().args('to-label.csv'), { env: {} })
  // The newline makes sure that the address is complete.
  const address = new URL(await program.waitForStderr(/http:\S+(?=\n)/))
  const connection = connect(Number(address.port), address.hostname)
  await once(connection, 'connect')
  program.child.kill('SIGTERM')
  assert.is((await program.ended).code, 0)
  connection.destroy()
})

test('a second svc label of the same table is refused while the first one runs, also through a link', async () => {
  const { folder, args } = writeTable()
  symlinkSync('to-label.csv', join(folder, 'link.csv'))
  const first = startProgram(args('to-label.csv'), { env: {} })
  await first.waitForStderr(/http:\S+(?=\n)/)
  const lockPath = join(realpathSync(folder), 'to-label.csv.lock')
  for (const name of ['to-label.csv', 'link.csv']) {
    const second = await runProgram(args(name), { env: {} })
    assert.is(second.code, 1)
    assert.is(
      second.stderr,
      `svc: write ${join(folder, name)}: another svc is writing it (process ${first.child.pid}, lock file ${lockPath})\n`,
    )
  }
  first.child.kill('SIGTERM')
  assert.is((await first.ended).code, 0)
  assert.equal(readdirSync(folder).sort(), ['link.csv', 'questions.json', 'to-label.csv'])
})

test('svc sample does not replace a table while svc label runs', async () => {
  const { folder, args } = writeTable()
  const first = startProgram(args('to-label.csv'), { env: {} })
  await first.waitForStderr(/http:\S+(?=\n)/)
  writeFileSync(join(folder, 'run.jsonl'), '')
  const output = ['-o', join(folder, 'to-label.csv'), '--overwrite']
  const sampleArgs = ['sample', '-i', join(folder, 'run.jsonl'), '-n', '1', '--for', 'measure']
  const sample = await runProgram([...sampleArgs, ...output], { env: {} })
  first.child.kill('SIGTERM')
  await first.ended
  assert.is(sample.code, 1)
  assert.match(sample.stderr, `another svc is writing it (process ${first.child.pid}`)
})

test.run()
