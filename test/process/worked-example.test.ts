import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleOf } from '../support/documents'
import { root } from '../support/folders'
import { folder, inShell, start } from '../support/program'

const test = suite('process: the worked examples of the pages')

/** Request ids are new each time. */
const withoutIds = (text: string): string => text.replace(/req_[0-9a-z]{26}/g, 'req_…')

for (const name of ['try-it', 'worked-example'])
  test(`${name}: every command does what is shown`, async () => {
    cpSync(join(root, 'test/measure/worked-example'), folder, { recursive: true })
    const service = start(['serve', '--port', '0'], { env: {} })
    const url = (await service.said(/http:\S+/)).trim()
    const env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'demo' }
    const turns = exampleOf('shell', name).split(/^\$ /m).slice(1)
    assert.ok(turns.length > 1)
    let last = 0
    for (const turn of turns) {
      const [, command = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(turn) ?? []
      const { code, stdout, stderr } =
        command === 'echo $?'
          ? { code: 0, stdout: `${last}\n`, stderr: '' }
          : await inShell(command, env)
      last = code ?? -1
      assert.is(withoutIds(stdout + stderr), withoutIds(shown), command)
    }
    service.child.kill()
    await service.ended
  })

test.run()
