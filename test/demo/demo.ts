/**
 * The main job for real: `npm run demo` starts `svc serve` and asks it with the built `svc ask` about a
 * support ticket. First recorded answers of a model, in both modes and once with a wrong key; then, with
 * the engine that needs no model, one question more, twenty tickets at once and a gate on them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { goldenKey } from '../../lib/replay/exchange'
import { type NamedScenario, parseArguments } from '../../lib/replay/scenarios'
import { readProjectScenarios } from '../golden/project-scenarios'
import { formatWrappedCommand } from '../golden/shell-session'
import { createTemporaryFolder, root } from '../support/folders'
import { bin } from '../support/program'

const named = (name: string): NamedScenario => {
  const found = readProjectScenarios().find((one) => one.name === name)
  if (found === undefined) throw new Error(`no scenario ${name}`)
  return found
}

interface Call {
  readonly title: string
  readonly scenario: NamedScenario
  readonly key: string
  readonly exit: number
}

const recorded: ReadonlyArray<Call> = [
  {
    title: 'Three questions about a support ticket, from a file',
    scenario: named('ask/ticket-pretty'),
    key: goldenKey,
    exit: 0,
  },
  {
    title: 'The same questions as flags',
    scenario: named('ask/ticket-flags'),
    key: goldenKey,
    exit: 0,
  },
  { title: 'A wrong key', scenario: named('ask/ticket'), key: 'wrong-key', exit: 3 },
]

const folder = createTemporaryFolder()
const tickets = Array.from({ length: 20 }, (_, n) => ({
  id: `T-${n + 1}`,
  text: n % 4 === 3 ? 'The app crashes on start.' : 'I was charged twice this month.',
}))
writeFileSync(
  join(folder, 'tickets.jsonl'),
  tickets.map((ticket) => `${JSON.stringify(ticket)}\n`).join(''),
)

/** A command line in that folder. */
const here = (title: string, command: string, exit: number): Call => ({
  ...{ title, key: goldenKey, exit },
  scenario: { name: '', folder, scenario: { title: '', command } },
})

/** Questions whose words the ticket holds: all that the lexical engine goes by. */
const lexical: ReadonlyArray<Call> = [
  {
    title: 'Without a model',
    scenario: {
      name: '',
      folder: root,
      scenario: {
        title: '',
        command:
          "svc ask --state 'I was charged twice this month and nobody answers my emails.' --noul 'double=Was the customer charged twice?' --choice 'topic=What is it about?:charged twice,app crashes,late delivery'",
      },
    },
    key: goldenKey,
    exit: 0,
  },
  here(
    'Twenty tickets, each with a record',
    "svc batch -i tickets.jsonl -o run.jsonl --id-field id --state-field text --noul 'double=Was the customer charged twice?'",
    0,
  ),
  here(
    'At most a quarter of them may be about something else',
    "svc gate -i run.jsonl --require 'double.noul > 0.5' --allow 25% --table",
    0,
  ),
  here(
    'All of them must be about it',
    "svc gate -i run.jsonl --require 'double.noul > 0.5' --table",
    8,
  ),
]

const run = async ({ title, scenario, key, exit }: Call, baseUrl: string): Promise<boolean> => {
  console.log(`\n== ${title}\n`)
  const request = join(scenario.folder, 'request.json')
  if (existsSync(request)) console.log(readFileSync(request, 'utf8'))
  console.log(`$ ${formatWrappedCommand(scenario)}`)
  const child = spawn(process.execPath, [bin, ...parseArguments(scenario.scenario)], {
    cwd: scenario.folder,
    env: { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: key },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  console.log(`exit ${code}`)
  return code === exit
}

const addressOf = async (service: ChildProcess): Promise<string> => {
  if (service.stderr === null) return ''
  for await (const line of createInterface(service.stderr)) {
    console.log(line)
    const [address] = /http:\S+/.exec(line) ?? []
    if (address !== undefined) return address
  }
  return ''
}

/** Starts `svc serve`, makes the calls, stops it. Tells whether all ended as they should. */
const against = async (
  args: ReadonlyArray<string>,
  calls: ReadonlyArray<Call>,
): Promise<boolean> => {
  console.log(`\n$ svc serve --port 0 ${args.join(' ')} &`)
  const service = spawn(process.execPath, [bin, 'serve', '--port', '0', ...args], {
    cwd: root,
    env: { SERVICE_API_KEYS: goldenKey },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const baseUrl = await addressOf(service)
  let asExpected = true
  for (const call of calls) asExpected = (await run(call, baseUrl)) && asExpected
  service.kill('SIGTERM')
  const [code] = await once(service, 'close')
  return asExpected && code === 0
}

const results = [
  await against(['--fixtures', 'fixtures'], recorded),
  await against(['--engine', 'lexical'], lexical),
]
process.exitCode = results.every((asExpected) => asExpected) ? 0 : 1
