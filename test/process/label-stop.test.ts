import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTemporaryFolder } from '../support/folders'
import { startProgram } from '../support/program'

const test = suite('process: stopping svc label')

test('exits with 0 after SIGTERM although a browser holds a connection that it has not used', async () => {
  const folder = createTemporaryFolder()
  const table = join(folder, 'to-label.csv')
  const questions = join(folder, 'questions.json')
  writeFileSync(table, 'index,id,text,billing.label\n0,t-0,I was charged twice.,\n')
  // A yes/no question has the type `noul`.
  writeFileSync(questions, '{"questions":{"billing":{"type":"noul","instructions":"Billing?"}}}')
  const program = startProgram(['label', '-i', table, '-f', questions], { env: {} })
  // The newline makes sure that the address is complete.
  const address = new URL(await program.waitForStderr(/http:\S+(?=\n)/))
  const connection = connect(Number(address.port), address.hostname)
  await once(connection, 'connect')
  program.child.kill('SIGTERM')
  assert.is((await program.ended).code, 0)
  connection.destroy()
})

test.run()
