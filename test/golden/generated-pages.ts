import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { NamedScenario, ScenarioAnswer } from '../../lib/replay/scenarios'
import { expected } from './golden-files'
import { fixturesFolder } from './scenario'
import { command, session } from './shell-session'

const intro = `# API examples

Generated from the scenarios by \`npm run golden:update\`; do not edit.

Every folder is one run of \`svc\`: \`scenario.json\` has its command, environment, input and the
exchanges with the service; the folder of the same name in \`golden/\` has what it prints. A
\`request.json\` is the body that is sent, and a \`response.json\` the answer to it.

\`svc serve\` plays them, each scenario at its own address, as often as you like:

\`\`\`sh
svc serve --fixtures fixtures &
export SERVICE_BASE_URL=http://127.0.0.1:8787 SERVICE_API_KEY=demo-key
cd fixtures
\`\`\`

The commands below then show the answers that the tables name, and a client of yours meets them at the
same addresses: \`SERVICE_BASE_URL=http://127.0.0.1:8787/errors/auth-401\` is a service that knows no key.

The answers of other services are those that they published where a title says recorded or documented. All
others are composed from their published types, and no text in them is of their making.

CONTRIBUTING.md explains every field of a scenario.
`

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const cut = (text: string): string => (text.length > 110 ? `${text.slice(0, 107)}...` : text)

const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

const linked = (
  text: string,
  name: string,
  { bodyFile }: { readonly bodyFile?: string },
): string => (bodyFile === undefined ? text : `[${text}](${posix.join(name, bodyFile)})`)

const exchanges = ({ name, scenario }: NamedScenario): string =>
  (scenario.exchanges ?? [])
    .map(({ request, response }) => {
      const call = `${request.method} ${request.path}`
      const answer = response.fault ?? (response.raw === undefined ? response.status : 'raw bytes')
      return `${linked(call, name, request)} → ${linked(String(answer), name, response)}`
    })
    .join('<br>')

const row = (named: NamedScenario): string => {
  const { name } = named
  const title = `[${name.slice(name.indexOf('/') + 1)}](${name}/scenario.json): ${cell(named.scenario.title)}`
  const exit = (expected(name).exit ?? '').trim()
  return `| ${title} | ${cell(code(cut(command(named))))} | ${exchanges(named)} | ${exit} |`
}

/** A fault that leaves a caller waiting for more. */
const isEndless = ({ fault }: ScenarioAnswer): boolean => fault === 'stall' || fault === 'endless'

/**
 * The commands that make a scenario's requests of the service that plays it, in order. None where a request has no
 * file: the file would have to be made first.
 */
export const curls = ({
  name,
  scenario: { exchanges = [] },
}: NamedScenario): ReadonlyArray<string> => {
  const key = '-H "Authorization: Bearer $SERVICE_API_KEY"'
  const commands = exchanges.flatMap(({ request: { method, path, bodyFile }, response }) => {
    if (method === 'POST' && bodyFile === undefined) return []
    const call = `curl -si "$SERVICE_BASE_URL/${name}${path}" ${key}`
    const file = bodyFile === undefined ? '' : posix.join(name, bodyFile)
    const body = file === '' ? '' : ` -H 'Content-Type: application/json' -d @${file}`
    return `${call}${body}${isEndless(response) ? ' -m 1' : ''}`
  })
  return commands.length === exchanges.length ? commands : []
}

const shell = (lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? '' : `\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`

/** `fixtures/README.md`: the scenarios as an index of API examples. */
export const index = (all: ReadonlyArray<NamedScenario>): string => {
  const groups = [...new Set(all.map(({ name }) => name.slice(0, name.indexOf('/'))))]
  const tables = groups.map((group) => {
    const own = all.filter(({ name }) => name.startsWith(`${group}/`))
    const head = '| Scenario | Command | Exchanges | Exit |\n|---|---|---|---|'
    return `\n## ${group}\n\n${head}\n${own.map(row).join('\n')}\n${shell(own.flatMap(curls))}`
  })
  return `${intro}${tables.join('')}`
}

export const indexFile = join(fixturesFolder, 'README.md')

const blocks = /(?:<!-- golden: (\S+) -->\n)?```console\n([\s\S]*?)```/g

/** A page with every console block as the scenario named above it came out. */
export const refreshed = (page: string, all: ReadonlyArray<NamedScenario>): string =>
  page.replace(blocks, (_, name: string | undefined) => {
    const named = all.find((one) => one.name === name)
    if (named === undefined) throw new Error(`a console block without a scenario: ${name}`)
    return `<!-- golden: ${name} -->\n\`\`\`console\n${session(named)}\`\`\``
  })

export const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
