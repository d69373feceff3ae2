/** The recipe of `svc help fixtures`, run as it is written: recorded, played, then broken on purpose. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleOf } from '../support/documents'
import { bin, folder, inShell } from '../support/program'

const test = suite('tools: the recipe of svc help fixtures')

const findFreePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })

/** Runs a block of the page in an environment without a service of its own. */
const runBlock = (name: string, port: number) =>
  inShell(
    `unset -f svc; PATH=.:$PATH; (${exampleOf('sh', name).replaceAll('8787', String(port))})`,
    {},
  )

test('the programs are recorded, play back without a service, and fail once one asks otherwise', async () => {
  const port = await findFreePort()
  writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  chmodSync(join(folder, 'svc'), 0o755)
  writeFileSync(join(folder, 'app.mjs'), exampleOf('js', 'fixtures-app'))
  writeFileSync(join(folder, 'app.py'), exampleOf('python', 'fixtures-app'))
  writeFileSync(join(folder, 'app.sh'), exampleOf('sh', 'fixtures-app'))
  const recorded = await runBlock('fixtures-record', port)
  const said = /^refund\nlate\n\{"model":/
  assert.match(recorded.stdout, said, recorded.stderr)
  const played = await runBlock('fixtures-check', port)
  assert.match(played.stdout, said, played.stderr)
  assert.match(played.stdout, /\[\]\n$/)
  assert.is(played.code, 0, played.stderr)

  const broken = readFileSync(join(folder, 'app.mjs'), 'utf8').replace('my order', 'my money')
  writeFileSync(join(folder, 'app.mjs'), broken)
  const failed = await runBlock('fixtures-check', port)
  assert.is(failed.code, 1)
  assert.match(
    failed.stderr,
    'state: recorded \\"Please refund my order.\\", received \\"Please refund my money.\\".',
  )
  assert.match(failed.stdout, "scenario: 'recorded/002-refund'")
})

test.run()
