/**
 * Demonstrates the built program: `npm run demo`. It prints and runs commands against `svc serve`, twice:
 *
 * 1. `svc serve` plays recorded answers. `svc ask` asks about a support ticket, and once has a wrong key.
 * 2. `svc serve` answers with the embedded engine, which needs no model. `svc ask`, `svc batch` and `svc gate` ask about tickets.
 *
 * It exits with 1 if a command has another exit code than expected.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../../lib/failure/report'
import { goldenKey } from '../../lib/replay/compare-requests'
import { type NamedScenario, parseArguments } from '../../lib/replay/scenarios'
import { findProjectScenario } from '../golden/project-scenarios'
import { formatWrappedCommand } from '../golden/shell-session'
import { createTemporaryFolder, root } from '../support/folders'
import { binFile } from '../support/program'
import { startServe } from '../support/serve'

/** A command to show. */
interface DemoCall {
  readonly title: string
  readonly scenario: NamedScenario
  /** The API key. Default: a key that the service accepts. */
  readonly key?: string
  readonly expectedCode: number
}

/** A call that is no scenario of the project. */
interface FolderCall {
  readonly title: string
  /** The folder in which the command runs. */
  readonly folder: string
  readonly command: string
  readonly expectedCode: number
}

const createFolderCall = ({ title, folder, command, expectedCode }: FolderCall): DemoCall => ({
  title,
  scenario: { name: 'demo', folder, scenario: { title, command } },
  expectedCode,
})

const recordedCalls: ReadonlyArray<DemoCall> = [
  {
    title: 'Three questions about a support ticket, from a file',
    scenario: findProjectScenario('ask/ticket-pretty'),
    expectedCode: exitCodes.ok,
  },
  {
    title: 'The same questions as flags',
    scenario: findProjectScenario('ask/ticket-flags'),
    expectedCode: exitCodes.ok,
  },
  {
    title: 'A wrong key',
    scenario: findProjectScenario('ask/ticket'),
    key: 'wrong-key',
    expectedCode: exitCodes.auth,
  },
]

const ticketsFolder = createTemporaryFolder()
// Every fourth ticket is about a crash.
const tickets = Array.from({ length: 20 }, (_, index) => ({
  id: `T-${index + 1}`,
  text: index % 4 === 3 ? 'The app crashes on start.' : 'I was charged twice this month.',
}))
const ticketLines = tickets.map((ticket) => `${JSON.stringify(ticket)}\n`)
writeFileSync(join(ticketsFolder, 'tickets.jsonl'), ticketLines.join(''))

/** The embedded engine compares meanings, so the labels need not occur in the tickets. `--noul` asks a yes/no question. */
const embeddedCalls: ReadonlyArray<DemoCall> = [
  createFolderCall({
    title: 'Without a model',
    folder: root,
    command: [
      "svc ask --state 'I was charged twice this month and nobody answers my emails.'",
      "--noul 'double=Was the customer charged twice?'",
      "--choice 'topic=What is it about?:billing,a bug,delivery'",
    ].join(' '),
    expectedCode: exitCodes.ok,
  }),
  createFolderCall({
    title: 'Twenty tickets, each with a record',
    folder: ticketsFolder,
    command: [
      'svc batch -i tickets.jsonl -o run.jsonl --id-field id --state-field text',
      "--noul 'double=Was the customer charged twice?'",
    ].join(' '),
    expectedCode: exitCodes.ok,
  }),
  createFolderCall({
    title: 'At most a quarter of them may be about something else',
    folder: ticketsFolder,
    command: "svc gate -i run.jsonl --require 'double.noul > 0.5' --allow 25% --table",
    expectedCode: exitCodes.ok,
  }),
  createFolderCall({
    title: 'All of them must be about it',
    folder: ticketsFolder,
    command: "svc gate -i run.jsonl --require 'double.noul > 0.5' --table",
    expectedCode: exitCodes.flagged,
  }),
]

/** Prints and runs a call. Resolves with `true` if it exits with the expected code. */
const runCall = async (call: DemoCall, baseUrl: string): Promise<boolean> => {
  const { title, scenario, key = goldenKey, expectedCode } = call
  console.log(`\n== ${title}\n`)
  const requestFile = join(scenario.folder, 'request.json')
  if (existsSync(requestFile)) console.log(readFileSync(requestFile, 'utf8'))
  console.log(`$ ${formatWrappedCommand(scenario)}`)
  const child = spawn(process.execPath, [binFile, ...parseArguments(scenario.scenario)], {
    cwd: scenario.folder,
    env: { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: key },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  console.log(`exit ${code}`)
  return code === expectedCode
}

/** Runs calls against `svc serve` with these flags. Resolves with `true` if all programs exit with the expected code. */
const runCallsAgainstService = async (
  flags: ReadonlyArray<string>,
  calls: ReadonlyArray<DemoCall>,
): Promise<boolean> => {
  console.log(`\n$ svc serve --port 0 ${flags.join(' ')} &`)
  const service = await startServe(flags, { cwd: root, env: { SERVICE_API_KEYS: goldenKey } })
  console.log(`svc: listening on ${service.url}`)
  let isAsExpected = true
  for (const call of calls) if (!(await runCall(call, service.url))) isAsExpected = false
  const { code } = await service.stop()
  return isAsExpected && code === 0
}

const isRecordedAsExpected = await runCallsAgainstService(['--fixtures', 'fixtures'], recordedCalls)
const isEmbeddedAsExpected = await runCallsAgainstService(['--engine', 'embedded'], embeddedCalls)
process.exitCode = isRecordedAsExpected && isEmbeddedAsExpected ? 0 : 1
