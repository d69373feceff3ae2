import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/folders'
import { expected } from './golden-files'
import { fixturesFolder, type Named } from './scenario'
import { command, session } from './shell-session'

const intro = `# API examples

Generated from the scenarios by \`npm run golden:update\`; do not edit.

Every folder is one run of \`svc\`: \`scenario.json\` has its arguments, environment, input and the
exchanges with the service; the folder of the same name in \`golden/\` has what it prints. A
\`request.json\` is the body that is sent, ready for curl, and a \`response.json\` is the answer to it:

\`\`\`sh
cd fixtures/ask/ticket
curl -s "$SERVICE_BASE_URL/v1/questions" -H "Authorization: Bearer $SERVICE_API_KEY" \\
  -H 'Content-Type: application/json' -d @request.json
\`\`\`

CONTRIBUTING.md explains every field of a scenario.
`

/** A title says its rule in words; the numbers of the project's own decisions after it mean nothing to a user. */
const titleOf = ({ scenario: { title } }: Named): string =>
  title.replace(/ *\((?:[DR]\d+(?:, )?)+\)/g, '').replace(/^(?:[DR]\d+(?:, )?)+: */, '')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const cut = (text: string): string => (text.length > 110 ? `${text.slice(0, 107)}...` : text)

const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

const exchanges = ({ name, scenario }: Named): string =>
  (scenario.exchanges ?? [])
    .map(({ request, response }) => {
      const call = `${request.method} ${request.path}`
      const file = request.bodyFile
      const answer = response.fault ?? (response.raw === undefined ? response.status : 'raw bytes')
      return `${file === undefined ? call : `[${call}](${name}/${file})`} → ${answer}`
    })
    .join('<br>')

const row = (named: Named): string => {
  const { name } = named
  const title = `[${name.slice(name.indexOf('/') + 1)}](${name}/scenario.json): ${cell(titleOf(named))}`
  const exit = (expected(name).exit ?? '').trim()
  return `| ${title} | ${cell(code(cut(command(named))))} | ${exchanges(named)} | ${exit} |`
}

/** `fixtures/README.md`: the scenarios as an index of API examples. */
export const index = (all: ReadonlyArray<Named>): string => {
  const groups = [...new Set(all.map(({ name }) => name.slice(0, name.indexOf('/'))))]
  const tables = groups.map((group) => {
    const rows = all.filter(({ name }) => name.startsWith(`${group}/`)).map(row)
    return `\n## ${group}\n\n| Scenario | Command | Exchanges | Exit |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return `${intro}${tables.join('')}`
}

export const indexFile = join(fixturesFolder, 'README.md')
export const readmeFile = join(root, 'README.md')

const blocks = /(?:<!-- golden: (\S+) -->\n)?```console\n([\s\S]*?)```/g

/** README.md with every console block as the scenario named above it came out. */
export const refreshed = (readme: string, all: ReadonlyArray<Named>): string =>
  readme.replace(blocks, (_, name: string | undefined) => {
    const named = all.find((one) => one.name === name)
    if (named === undefined)
      throw new Error(`README.md: a console block without a scenario: ${name}`)
    return `<!-- golden: ${name} -->\n\`\`\`console\n${session(named)}\`\`\``
  })

export const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
