/**
 * Measures the program against the least that does the same: `npm run bench -- [part…] [--node <path>] [--scale <x>]`.
 * Parts are `start`, `large`, `library`, `stops`, `runs` and `share`; without one all of them run.
 * The program is packed and installed as a user has it; `--node` is the Node that runs it, `--scale 0.1` takes a tenth of the
 * rounds, or of the rows.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { installed } from './installed'
import { reportLibrary } from './library'
import { compare, compareMemory, type Subject } from './measure'
import { reportRuns } from './runs'
import { largeAnswers, props } from './scripts'
import { reportShare } from './share'
import { reportStops } from './stops'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', default: process.execPath },
    scale: { type: 'string', default: '1' },
  },
})
const scale = Number(values.scale)
const rounds = (count: number): number => Math.max(1, Math.round(count * scale))
const isAsked = (part: string): boolean => positionals.length === 0 || positionals.includes(part)

const answer =
  '{"model":"svc-1","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":1,"output_tokens":1}}'
const large = isAsked('large') ? largeAnswers() : { answers: '', models: '' }
const bodies: Readonly<Record<string, string>> = {
  '/v1/questions': answer,
  '/large/v1/questions': large.answers,
  '/large/v1/models': large.models,
}
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(bodies[request.url ?? ''])
  })
})
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const bin = installed()
const files = props()
const node = (name: string, ...args: string[]): Subject => ({ name, command: values.node, args })

if (isAsked('start')) {
  await compare('svc version', rounds(40), baseUrl, [
    node('svc version', bin, 'version'),
    node('an empty Node script', files.empty),
  ])
  await compare('svc ask, a small request', rounds(40), baseUrl, [
    node('svc ask', bin, 'ask', '-f', files.small),
    node('a script that posts (node:http)', files.post, baseUrl, files.small),
  ])
}
if (isAsked('large')) {
  const from = `${baseUrl}/large`
  const calls = [
    {
      title: 'svc ask, a request of 16 MiB',
      to: baseUrl,
      subjects: [
        node('svc ask', bin, 'ask', '-f', files.large),
        node('a script that parses and posts', files.parseAndPost, baseUrl, files.large),
      ],
    },
    {
      title: 'svc ask, answers of 16 MiB',
      to: from,
      subjects: [
        node('svc ask', bin, 'ask', '-f', files.small),
        node('a script that parses and prints', files.askAndPrint, 'POST', `${from}/v1/questions`),
      ],
    },
    {
      title: 'svc models, a list of 16 MiB',
      to: from,
      subjects: [
        node('svc models', bin, 'models'),
        node('a script that parses and prints', files.askAndPrint, 'GET', `${from}/v1/models`),
      ],
    },
  ]
  for (const { title, to, subjects } of calls) {
    await compare(title, rounds(15), to, subjects)
    await compareMemory('peak memory of the same', rounds(5), to, files.peak, subjects)
  }
}
server.close()
if (isAsked('share')) reportShare(rounds(2000))
if (isAsked('library')) await reportLibrary(rounds(60), bin)
if (isAsked('stops')) await reportStops(bin, rounds(25))
if (isAsked('runs'))
  await reportRuns(values.node, bin, files.peak, Math.max(1000, Math.round(1_000_000 * scale)))
