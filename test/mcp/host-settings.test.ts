import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { commands } from '../support/commands'
import { readPage } from '../support/documents'

const test = suite('mcp: the settings for hosts in svc help agents')

/** The settings with which a host starts an MCP server. */
interface ServerSettings {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

const page = readPage('lib/help/topics/agents.md')

/** The hosts of the page. Each has a paragraph that opens with its name in bold, and then its settings as JSON. */
const hosts = [...page.matchAll(/^\*\*(.+?)\*\*.*\n\n```json\n([\s\S]*?)```/gm)].map(
  ([, name = '', json = '']) => ({ name, json }),
)

test('shows settings for four hosts', () => {
  assert.equal(
    hosts.map(({ name }) => name),
    ['Claude Desktop', 'Claude Code', 'Cursor', 'VS Code'],
  )
})

for (const { name, json } of hosts)
  test(`${name} starts svc mcp with an address and a key`, () => {
    const document: Record<string, { svc: ServerSettings }> = JSON.parse(json)
    // VS Code calls the field `servers`, other hosts call it `mcpServers`.
    const settings = (document.servers ?? document.mcpServers)?.svc
    assert.ok(settings)
    assert.is(settings.command, 'svc')
    const parsed = parseCommandLine(settings.args, commands, settings.env)
    assert.ok(parsed._tag === 'Right')
    assert.is(parsed.right.command?.name, 'mcp')
    assert.ok('SERVICE_BASE_URL' in settings.env)
    assert.ok('SERVICE_API_KEY' in settings.env || 'SERVICE_API_KEY_FILE' in settings.env)
  })

test.run()
