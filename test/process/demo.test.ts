import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'

const test = suite('process: npm run demo')

test('every command of the demo exits with the expected code', () => {
  const demo = ['--import', 'tsx', 'test/demo/demo.ts']
  const { status, stdout, stderr } = spawnSync(process.execPath, demo, {
    cwd: root,
    encoding: 'utf8',
  })
  assert.is(status, 0, stdout + stderr)
  assert.match(stderr, 'batch: 20 rows, 20 answered, 0 failed')
})

test.run()
