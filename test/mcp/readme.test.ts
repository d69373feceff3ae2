import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { commands } from '../support/commands'
import { readPage } from '../support/documents'

const test = suite('mcp: the settings for hosts')

interface Settings {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

const blocks = [...readPage('lib/help/topics/agents.md').matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
)

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
