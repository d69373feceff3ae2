import { execFile } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecordedResponse } from '../../lib/replay/decode-scenario'
import {
  type NamedScenario,
  readExchanges,
  type ScenarioResponse,
} from '../../lib/replay/scenarios'
import { fixturesReadme, listCurlCommands, readIfPresent } from '../golden/generated-pages'
import { fixturesFolder, readProjectScenarios } from '../golden/project-scenarios'
import { root } from '../support/folders'
import { startServe } from '../support/serve'

const test = suite('tools: the curl commands of fixtures/README.md')

interface CurlResult {
  readonly code: number
  /** The headers and the body of the response. */
  readonly output: Buffer
}

/** Runs a curl command of fixtures/README.md in a shell. */
const runCurl = (command: string, url: string): Promise<CurlResult> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SERVICE_BASE_URL: url, SERVICE_API_KEY: 'demo-key' }
    const options = { cwd: fixturesFolder, env, encoding: 'buffer', maxBuffer: 64 << 20 } as const
    execFile('sh', ['-c', command], options, (error, output) =>
      resolve({ code: error === null ? 0 : Number(error.code), output }),
    )
  })

const endOfHeaders = '\r\n\r\n'

/** The exit codes of curl if a connection is closed, reset or silent: CURLE_GOT_NOTHING, _RECV_ERROR, _OPERATION_TIMEDOUT. */
const faultCodes = { end: 52, reset: 56, stall: 28, endless: 28 } as const

/**
 * Describes how the response to a command differs from the response of the scenario. Returns `undefined` if the two are equal.
 * `described` is the response in `scenario.json`. `recorded` is the same response with its body as bytes.
 */
const describeDifference = (
  { code, output }: CurlResult,
  described: ScenarioResponse,
  recorded: RecordedResponse,
): string | undefined => {
  const expectedCode = described.fault === undefined ? 0 : faultCodes[described.fault]
  if (code !== expectedCode) return `curl exits with ${code}, not ${expectedCode}`
  if (described.fault !== undefined) return undefined
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(output.toString())?.[1])
  if (status !== recorded.status) return `status ${status}, not ${recorded.status}`
  const body = output.subarray(output.indexOf(endOfHeaders) + endOfHeaders.length)
  return isRecordedBody(body, described, recorded) ? undefined : `body ${body}`
}

/** Compares bytes, or JSON values if the body is written in `scenario.json`. */
const isRecordedBody = (
  body: Buffer,
  described: ScenarioResponse,
  recorded: RecordedResponse,
): boolean =>
  described.body === undefined
    ? body.equals(recorded.body)
    : isDeepStrictEqual(JSON.parse(body.toString()), described.body)

/** Runs the commands of a scenario in order. Returns a line for each response that differs. */
const checkScenario = async (
  namedScenario: NamedScenario,
  url: string,
): Promise<ReadonlyArray<string>> => {
  // A scenario has one command for each exchange, or none.
  const describedExchanges = namedScenario.scenario.exchanges ?? []
  const recordedExchanges = await readExchanges(namedScenario)
  const problems: string[] = []
  for (const [index, command] of listCurlCommands(namedScenario).entries()) {
    const described = describedExchanges[index]?.response as ScenarioResponse
    const recorded = recordedExchanges[index]?.response as RecordedResponse
    const difference = describeDifference(await runCurl(command, url), described, recorded)
    if (difference !== undefined) problems.push(`${command}\n  ${difference}`)
  }
  return problems
}

const scenarios = readProjectScenarios().filter(
  (namedScenario) => listCurlCommands(namedScenario).length > 0,
)

test('fixtures/README.md lists the commands of all scenarios', () => {
  const lines = readIfPresent(fixturesReadme).split('\n')
  const commandsOnPage = lines.filter((line) => line.startsWith('curl '))
  assert.equal(commandsOnPage, scenarios.flatMap(listCurlCommands))
  assert.ok(commandsOnPage.length >= 80, `${commandsOnPage.length} commands`)
})

test('each command gets the recorded status and body', async () => {
  const service = await startServe(['--fixtures', 'fixtures'], { cwd: root })
  const problems: string[] = []
  const queue = scenarios.values()
  const runWorker = async (): Promise<void> => {
    for (const namedScenario of queue)
      problems.push(...(await checkScenario(namedScenario, service.url)))
  }
  await Promise.all([runWorker(), runWorker(), runWorker(), runWorker()])
  assert.equal(problems, [])
  assert.is((await service.stop()).code, 0)
})

test.run()
