/**
 * Measures the program and compares it with minimal programs: `npm run bench -- [part…] [--node <path>] [--scale <x>]`. Parts:
 *
 * - `start` and `large`: commands with small and large inputs
 * - `library`: a call from a program
 * - `stops`: `svc serve` stopped under load
 * - `runs`: commands that read large runs
 * - `share`: the accuracy of the intervals of `svc share`
 * - `drift`: how often `svc compare --unpaired` raises an alarm
 * - `accuracy`: how often the embedded engine is right
 * - `promises`: how often cuts miss their targets, and intervals the true value. `--every-setting` prints each setting
 *
 * Without a part, all run. `npm pack` and `npm install` install the program first. `--node` runs the program with another Node.
 * `--scale 0.1` makes a tenth of the rounds and draws, with a tenth of the rows.
 */
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTemporaryFolder, root } from '../support/folders'
import { reportAccuracy } from './accuracy'
import { createLargeResponses, writeBenchFiles } from './bench-files'
import { reportDrift } from './drift'
import { reportLibrary } from './library'
import { compareMemory, compareTimes, type Subject } from './measure'
import { reportPromises } from './promises/promises'
import { reportRuns } from './runs'
import { reportShare } from './share'
import { reportStops } from './stops'

const { values: flags, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', default: process.execPath },
    scale: { type: 'string', default: '1' },
    'every-setting': { type: 'boolean', default: false },
  },
})
const scale = Number(flags.scale)
const scaleRounds = (rounds: number): number => Math.max(1, Math.round(rounds * scale))
const isSelected = (part: string): boolean => parts.length === 0 || parts.includes(part)

/** Packs the program and installs it globally in a temporary folder. Returns the path of `svc`. */
const installProgram = (): string => {
  const folder = createTemporaryFolder()
  const runNpm = (...args: ReadonlyArray<string>): string =>
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const output = runNpm('pack', '--silent', '--pack-destination', folder)
  // The scripts of the package may print something before the name of the tarball.
  const tarball = output.trim().split('\n').at(-1) ?? ''
  runNpm('install', '--global', '--offline', '--prefix', folder, join(folder, tarball))
  return join(folder, 'bin', 'svc')
}

/** A response with the answer to a yes/no question (a `noul`). */
const smallResponse =
  '{"model":"svc-1","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":1,"output_tokens":1}}'
const largeResponses = isSelected('large') ? createLargeResponses() : { answers: '', models: '' }
const responses: Readonly<Record<string, string>> = {
  '/v1/questions': smallResponse,
  '/large/v1/questions': largeResponses.answers,
  '/large/v1/models': largeResponses.models,
}
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(responses[request.url ?? ''])
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const smallUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const largeUrl = `${smallUrl}/large`

/** These parts call functions of the library, and need no installed program. */
const simulatedParts = ['share', 'promises']
const needsProgram = parts.length === 0 || parts.some((part) => !simulatedParts.includes(part))
const bin = needsProgram ? installProgram() : ''
const files = writeBenchFiles()
const createSubject = (name: string, ...args: string[]): Subject => ({
  name,
  command: flags.node,
  args,
})

if (isSelected('start')) {
  const rounds = scaleRounds(40)
  await compareTimes({
    title: 'svc version',
    rounds,
    baseUrl: smallUrl,
    subjects: [
      createSubject('svc version', bin, 'version'),
      createSubject('an empty Node script', files.empty),
    ],
  })
  await compareTimes({
    title: 'svc ask, a small request',
    rounds,
    baseUrl: smallUrl,
    subjects: [
      createSubject('svc ask', bin, 'ask', '-f', files.smallRequest),
      createSubject('a script that posts (node:http)', files.post, smallUrl, files.smallRequest),
    ],
  })
}

if (isSelected('large')) {
  const comparisons = [
    {
      title: 'svc ask, a request of 16 MiB',
      baseUrl: smallUrl,
      subjects: [
        createSubject('svc ask', bin, 'ask', '-f', files.largeRequest),
        createSubject(
          'a script that parses and posts',
          files.parseAndPost,
          smallUrl,
          files.largeRequest,
        ),
      ],
    },
    {
      title: 'svc ask, answers of 16 MiB',
      baseUrl: largeUrl,
      subjects: [
        createSubject('svc ask', bin, 'ask', '-f', files.smallRequest),
        createSubject(
          'a script that parses and prints',
          files.fetchAndPrint,
          'POST',
          `${largeUrl}/v1/questions`,
        ),
      ],
    },
    {
      title: 'svc models, a list of 16 MiB',
      baseUrl: largeUrl,
      subjects: [
        createSubject('svc models', bin, 'models'),
        createSubject(
          'a script that parses and prints',
          files.fetchAndPrint,
          'GET',
          `${largeUrl}/v1/models`,
        ),
      ],
    },
  ]
  for (const { title, baseUrl, subjects } of comparisons) {
    await compareTimes({ title, rounds: scaleRounds(15), baseUrl, subjects })
    const memoryTitle = `${title}: peak memory`
    const memoryComparison = { title: memoryTitle, rounds: scaleRounds(5), baseUrl, subjects }
    await compareMemory(memoryComparison, files.memoryReporter)
  }
}
server.close()

if (isSelected('share')) reportShare(scaleRounds(2000))
if (isSelected('drift')) reportDrift(scaleRounds(400))
if (isSelected('accuracy')) await reportAccuracy()
if (isSelected('promises'))
  reportPromises(scaleRounds(100), scaleRounds(2000), flags['every-setting'])
if (isSelected('library')) await reportLibrary(scaleRounds(60), bin)
if (isSelected('stops')) await reportStops(bin, scaleRounds(25))
if (isSelected('runs')) {
  const rowCount = Math.max(1000, Math.round(1_000_000 * scale))
  await reportRuns({ node: flags.node, bin, memoryReporter: files.memoryReporter, rowCount })
}
