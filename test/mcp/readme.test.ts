import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { commands } from '../support/commands'
import { root } from '../support/folders'

const test = suite('mcp: the settings in README.md')

interface Settings {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [, section = ''] = readme.split('\n## Give it to an agent\n')
const [own = ''] = section.split('\n## ')
const blocks = [...own.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text)

test('there is one for each of four hosts, which starts svc mcp with an address and a key', () => {
  assert.is(blocks.length, 4)
  for (const block of blocks) {
    const { servers, mcpServers } = JSON.parse(block) as Record<string, { svc: Settings }>
    const settings = (servers ?? mcpServers)?.svc
    assert.is(settings?.command, 'svc')
    const parsed = parseCommandLine(settings?.args ?? [], commands, settings?.env ?? {})
    assert.is(parsed._tag === 'Right' && parsed.right.command?.name, 'mcp')
    assert.match(Object.keys(settings?.env ?? {}).join(), /^SERVICE_BASE_URL,SERVICE_API_KEY/)
  }
})

test.run()
