import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { NamedScenario, ScenarioResponse } from '../../lib/replay/scenarios'
import { readProjectGolden } from './golden-files'
import { fixturesFolder } from './project-scenarios'
import { formatCommand, formatSession } from './shell-session'

const introduction = `# API examples

\`npm run golden:update\` generates this page from the scenarios. Do not edit it.

Every folder is one run of \`svc\`: \`scenario.json\` has the command, its environment, its input and the
exchanges with the service. The folder of the same name in \`golden/\` has the output. A \`request.json\`
is the body of a request, and a \`response.json\` is the body of the response.

\`svc serve\` plays the scenarios, each at its own address, as often as you like:

\`\`\`sh
svc serve --fixtures fixtures &
export SERVICE_BASE_URL=http://127.0.0.1:8787 SERVICE_API_KEY=demo-key
cd fixtures
\`\`\`

In a command, \`generate\` stands for a program that prints a long input.

The curl commands below then get the responses that the tables show. Your own client gets them at the same
addresses: \`SERVICE_BASE_URL=http://127.0.0.1:8787/errors/auth-401\` is a service that accepts no key.

If a title says "recorded" or "documented", the response was published by the service that the title names. All
other responses are made up from the published types of those services.

CONTRIBUTING.md explains every field of a scenario.
`

/** Escapes a text for a cell of a Markdown table. */
const formatCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** The maximum number of characters of a command in a table. */
const maxCommandLength = 110

/** Formats a command as inline code of Markdown, cut at the maximum length. */
const formatCode = (command: string): string => {
  const isLong = command.length > maxCommandLength
  const code = isLong ? `${command.slice(0, maxCommandLength - 3)}...` : command
  // Code that contains a backtick is enclosed in double backticks.
  return code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``
}

/**
 * Links a text to the file in the scenario's folder that has the body of a request or response. If the body has no file, returns the text
 * unchanged.
 */
const linkBody = (
  text: string,
  scenarioName: string,
  { bodyFile }: { readonly bodyFile?: string },
): string => (bodyFile === undefined ? text : `[${text}](${posix.join(scenarioName, bodyFile)})`)

const formatExchanges = ({ name, scenario }: NamedScenario): string => {
  const lines = (scenario.exchanges ?? []).map(({ request, response }) => {
    const call = linkBody(`${request.method} ${request.path}`, name, request)
    const outcome = response.fault ?? (response.raw === undefined ? response.status : 'raw bytes')
    return `${call} → ${linkBody(String(outcome), name, response)}`
  })
  return lines.join('<br>')
}

const formatRow = (namedScenario: NamedScenario): string => {
  const { name, scenario } = namedScenario
  const nameInGroup = name.slice(name.indexOf('/') + 1)
  const title = `[${nameInGroup}](${name}/scenario.json): ${formatCell(scenario.title)}`
  const command = formatCell(formatCode(formatCommand(namedScenario)))
  const exit = (readProjectGolden(name).exit ?? '').trim()
  return `| ${title} | ${command} | ${formatExchanges(namedScenario)} | ${exit} |`
}

/** Returns `true` if a response never ends, so that curl needs a time limit. */
const isEndless = ({ fault }: ScenarioResponse): boolean => fault === 'stall' || fault === 'endless'

/**
 * Lists the curl commands that send a scenario's requests to `svc serve`, in order. Returns no command if the body of a POST
 * request is not a file.
 */
export const listCurlCommands = ({
  name,
  scenario: { exchanges = [] },
}: NamedScenario): ReadonlyArray<string> => {
  const commands: string[] = []
  for (const { request, response } of exchanges) {
    const { method, path, bodyFile } = request
    if (method === 'POST' && bodyFile === undefined) return []
    const options = [
      `curl -si "$SERVICE_BASE_URL/${name}${path}"`,
      '-H "Authorization: Bearer $SERVICE_API_KEY"',
    ]
    if (bodyFile !== undefined)
      options.push(`-H 'Content-Type: application/json' -d @${posix.join(name, bodyFile)}`)
    if (isEndless(response)) options.push('-m 1')
    commands.push(options.join(' '))
  }
  return commands
}

const formatShellBlock = (lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? '' : `\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`

/** Formats `fixtures/README.md`: for each group of scenarios a table of them, and their curl commands. */
export const formatFixturesReadme = (scenarios: ReadonlyArray<NamedScenario>): string => {
  const groups = new Set(scenarios.map(({ name }) => name.slice(0, name.indexOf('/'))))
  const sections = [...groups].map((group) => {
    const groupScenarios = scenarios.filter(({ name }) => name.startsWith(`${group}/`))
    const header = '| Scenario | Command | Exchanges | Exit |\n|---|---|---|---|'
    const rows = groupScenarios.map(formatRow).join('\n')
    const curlCommands = groupScenarios.flatMap(listCurlCommands)
    return `\n## ${group}\n\n${header}\n${rows}\n${formatShellBlock(curlCommands)}`
  })
  return `${introduction}${sections.join('')}`
}

export const fixturesReadme = join(fixturesFolder, 'README.md')

/** Matches console blocks, with the comment above them: `<!-- golden: ask/basic -->`. */
const consoleBlocks = /(?:<!-- golden: (\S+) -->\n)?```console\n([\s\S]*?)```/g

/**
 * Replaces every console block of a page by the session of the scenario that the comment above it names. Throws if a block has no
 * comment, or if the comment names an unknown scenario.
 */
export const refreshConsoleBlocks = (
  page: string,
  scenarios: ReadonlyArray<NamedScenario>,
): string =>
  page.replace(consoleBlocks, (_, name: string | undefined) => {
    const namedScenario = scenarios.find((scenario) => scenario.name === name)
    if (namedScenario === undefined) throw new Error(`a console block without a scenario: ${name}`)
    return `<!-- golden: ${name} -->\n\`\`\`console\n${formatSession(namedScenario)}\`\`\``
  })

/** Reads a file. Returns `''` if it does not exist. */
export const readIfPresent = (file: string): string =>
  existsSync(file) ? readFileSync(file, 'utf8') : ''
