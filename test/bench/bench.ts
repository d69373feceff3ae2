/** Measures the built program against the least that does the same: `npm run bench`. */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from '../support/folders'
import { reportAccuracy } from './accuracy'
import { reportBatch, reportBatchMemory } from './batch'
import { reportEval } from './eval'
import { reportKills } from './kills'
import { compare, compareMemory, type Subject } from './measure'
import { reportReview, reportReviewMemory } from './review'
import { props } from './scripts'
import { reportServe } from './serve'

const answer =
  '{"model":"svc-1","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":1,"output_tokens":1}}'

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
})
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

spawnSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' })
const bin = join(root, 'dist', 'bin.js')
const files = props()

const node = (name: string, ...args: string[]): Subject => ({
  name,
  command: process.execPath,
  args,
})
const curl = (file: string): ReadonlyArray<Subject> => {
  if (spawnSync('curl', ['--version']).status !== 0) return []
  const headers = ['-H', 'content-type: application/json', '-H', 'authorization: Bearer k']
  const args = ['-s', '-f', ...headers, '--data-binary', `@${file}`, `${baseUrl}/v1/questions`]
  return [{ name: 'curl', command: 'curl', args }]
}

const scale = Number(process.argv[2] ?? 1)
const rounds = (count: number): number => Math.max(1, Math.round(count * scale))

await compare('svc version', rounds(40), baseUrl, [
  node('svc version', bin, 'version'),
  node('an empty Node script', files.empty),
])
await compare('svc ask, a small request', rounds(40), baseUrl, [
  node('svc ask', bin, 'ask', '-f', files.small),
  node('a script that posts (node:http)', files.post, baseUrl, files.small),
  ...curl(files.small),
])
const large = [
  node('svc ask', bin, 'ask', '-f', files.large),
  node('a script that parses and posts', files.parseAndPost, baseUrl, files.large),
]
await compare('svc ask, a request of 16 MiB', rounds(15), baseUrl, large)
await compareMemory('peak memory of the same', rounds(5), baseUrl, files.peak, large)
server.close()
await reportReview(bin, rounds(5))
await reportReviewMemory(bin, files.peak)
await reportServe(bin, scale)
await reportBatch(bin, scale)
await reportBatchMemory(bin, Math.max(1000, Math.round(1_000_000 * scale)))
await reportKills(rounds(200))
await reportEval(rounds(5))
reportAccuracy(rounds(200))
