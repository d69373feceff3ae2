import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'
import { folder, inShell, start } from '../support/program'

const test = suite("process: the README's worked example")

const [, block = ''] =
  /<!-- worked example -->\n```shellsession\n([\s\S]*?)```/.exec(
    readFileSync(join(root, 'README.md'), 'utf8'),
  ) ?? []

test('from rows to a gate: every command does what is shown', async () => {
  cpSync(join(root, 'test/measure/worked-example'), folder, { recursive: true })
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.said(/http:\S+/)).trim()
  const env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'demo' }
  const turns = block.split(/^\$ /m).slice(1)
  assert.ok(turns.length > 5)
  let last = 0
  for (const turn of turns) {
    const [, command = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(turn) ?? []
    const { code, stdout, stderr } =
      command === 'echo $?'
        ? { code: 0, stdout: `${last}\n`, stderr: '' }
        : await inShell(command, env)
    last = code ?? -1
    assert.is(stdout + stderr, shown, command)
  }
  service.child.kill()
  await service.ended
})

test.run()
