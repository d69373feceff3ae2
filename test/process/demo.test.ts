import { execFile } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'

const test = suite('process: npm run demo')

test('every call ends as the demo means it to', async () => {
  const [failed, output] = await new Promise<readonly [boolean, string]>((done) =>
    execFile(
      process.execPath,
      ['--import', 'tsx', 'test/demo/demo.ts'],
      { cwd: root },
      (error, stdout, stderr) => done([error !== null, stdout + stderr]),
    ),
  )
  assert.not(failed, output)
  assert.match(output, /batch: 20 rows, 20 answered, 0 failed/)
})

test.run()
