import { execFile } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readExchanges, type ScenarioAnswer } from '../../lib/replay/scenarios'
import { indexFile, listCurlCommands, readIfPresent } from '../golden/generated-pages'
import { fixturesFolder, readProjectScenarios } from '../golden/project-scenarios'
import { root } from '../support/folders'
import { start } from '../support/program'

const test = suite('tools: the curl commands of fixtures/README.md')

/** Runs a line of the page in a shell. */
const shell = (line: string, url: string): Promise<{ code: number; output: Buffer }> =>
  new Promise((done) => {
    const env = { PATH: process.env.PATH, SERVICE_BASE_URL: url, SERVICE_API_KEY: 'demo-key' }
    const options = { cwd: fixturesFolder, env, encoding: 'buffer', maxBuffer: 64 << 20 } as const
    execFile('sh', ['-c', line], options, (error, stdout) =>
      done({ code: error === null ? 0 : Number(error.code), output: stdout }),
    )
  })

/** What curl says of a connection that gives no whole response: it was closed, reset or silent. */
const faultCodes = { end: 52, reset: 56, stall: 28, endless: 28 } as const

/** What is wrong with the output of a command, by what the page says of it. */
const problem = async (answer: ScenarioAnswer, recorded: Uint8Array, line: string, url: string) => {
  const { code, output } = await shell(line, url)
  const wanted = answer.fault === undefined ? 0 : faultCodes[answer.fault]
  if (code !== wanted) return [`${line}\n  curl ended with ${code}, not ${wanted}`]
  if (answer.fault !== undefined) return []
  const end = output.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(output.toString())?.[1])
  if (status !== (answer.status ?? 200)) return [`${line}\n  status ${status}`]
  const body = output.subarray(end + 4)
  return isAnswer(body, recorded, answer) ? [] : [`${line}\n  body ${body}`]
}

/** Files are sent byte by byte; a body that stands in the scenario itself as the JSON that it is. */
const isAnswer = (body: Buffer, recorded: Uint8Array, answer: ScenarioAnswer): boolean =>
  answer.body === undefined
    ? body.equals(recorded)
    : isDeepStrictEqual(JSON.parse(body.toString()), answer.body)

test('each gives the status and the body that the page shows', async () => {
  const page = readIfPresent(indexFile).split('\n')
  const onPage = page.filter((line) => line.startsWith('curl '))
  const all = readProjectScenarios().filter((named) => listCurlCommands(named).length > 0)
  assert.equal(onPage, all.flatMap(listCurlCommands))
  assert.ok(onPage.length >= 80, `${onPage.length} commands`)

  const served = start(['serve', '--port', '0', '--fixtures', 'fixtures'], { cwd: root, env: {} })
  const said = await served.waitForStderr(/^svc: listening on http:\/\/\S+$/m)
  const url = said.slice('svc: listening on '.length)
  const problems: string[] = []
  const waiting = [...all]
  const worker = async (): Promise<void> => {
    for (let named = waiting.pop(); named !== undefined; named = waiting.pop()) {
      const exchanges = named.scenario.exchanges ?? []
      const recorded = await readExchanges(named)
      for (const [i, line] of listCurlCommands(named).entries()) {
        const answer = exchanges[i]?.response
        const body = recorded[i]?.response.body
        if (answer && body) problems.push(...(await problem(answer, body, line, url)))
      }
    }
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  assert.equal(problems, [])
  served.child.kill('SIGTERM')
  assert.is((await served.ended).code, 0)
})

test.run()
