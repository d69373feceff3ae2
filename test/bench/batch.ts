import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/folders'
import { median } from './measure'
import { startServer } from './serve'

const question = 'double=Was the customer charged twice?'

/** Runs a command line quietly to its end; gives the seconds it took. */
const seconds = async (
  command: string,
  args: ReadonlyArray<string>,
  url: string,
): Promise<number> => {
  const env = { PATH: process.env.PATH, SERVICE_API_KEY: 'k', SERVICE_BASE_URL: url }
  const started = performance.now()
  const child = spawn(command, args, { cwd: root, env, stdio: 'ignore' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`)
  return (performance.now() - started) / 1000
}

/** Rows a second of `svc batch` against a hand-written pool, and against a process for each row. */
export const reportBatch = async (bin: string, scale: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-batch-'))
  const rows = Math.max(1000, Math.round(20_000 * scale))
  const single = Math.max(32, Math.round(160 * scale))
  const rounds = Math.max(1, Math.round(5 * scale))
  const input = join(folder, 'rows.jsonl')
  const row = (n: number) => `{"n":${n},"text":"I was charged twice this month, case ${n}"}\n`
  writeFileSync(input, Array.from({ length: rows }, (_, n) => row(n)).join(''))
  const texts = join(folder, 'texts')
  writeFileSync(texts, Array.from({ length: single }, (_, n) => `case-${n}\n`).join(''))
  const { child, url } = await startServer([bin, 'serve', '--port', '0'])
  const node = process.execPath
  const run = async (count: number): Promise<readonly [number, number]> => {
    const output = join(folder, `run-${count}.jsonl`)
    const concurrency = ['--concurrency', '16']
    const args = [bin, 'batch', '-i', input, '-o', output, ...concurrency, '--noul', question]
    const ours = await seconds(node, args, url)
    const theirs = await seconds(node, ['test/bench/pool.mjs', input, join(folder, 'pool')], url)
    return [rows / ours, rows / theirs]
  }
  console.log(`\nsvc batch, ${rows} rows, 16 at a time, lexical engine (${rounds} rounds)`)
  await run(-1)
  const pairs: Array<readonly [number, number]> = []
  for (let count = 0; count < rounds; count++) pairs.push(await run(count))
  const line = (name: string, perSecond: number, more = ''): void =>
    console.log(`  ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(7)} rows/s${more}`)
  const ours = median(pairs.map(([one]) => one))
  line('svc batch', ours)
  const ratio = median(pairs.map(([one, other]) => one / other)).toFixed(2)
  line('a node:http pool', median(pairs.map(([, other]) => other)), `   ratio ${ratio}`)
  const each = `xargs -P16 -I{} '${node}' '${bin}' ask --state {} --noul '${question}' < '${texts}'`
  const alone = single / (await seconds('sh', ['-c', each], url))
  line('xargs -P16 svc ask', alone, `   ratio ${(ours / alone).toFixed(1)}`)
  child.kill()
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Resident memory of `svc batch` over rows from a pipe: after a tenth of them and at the end. It goes up and down with each
 * collection of garbage, so that the median over the hundredth of the rows before counts. Linux only.
 */
export const reportBatchMemory = async (bin: string, rows: number): Promise<void> => {
  console.log(`\nsvc batch, resident memory over ${rows} rows from a pipe`)
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const child = spawn(process.execPath, [bin, 'batch', '--noul', question], {
    env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: url },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  const resident = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  const [tenth, end]: [number[], number[]] = [[], []]
  const window = rows / 100
  let lines = 0
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) {
      if (byte !== 10) continue
      lines += 1
      if (lines >= rows || lines % (window / 100) !== 0) continue
      if (lines > rows / 10 - window && lines <= rows / 10) tenth.push(resident())
      if (lines > rows - window) end.push(resident())
    }
  })
  for (let n = 0; n < rows; n++)
    if (!child.stdin.write(`"I was charged twice, case ${n}"\n`)) await once(child.stdin, 'drain')
  child.stdin.end()
  await ended
  server.close()
  server.closeAllConnections()
  const [early, late] = [median(tenth), median(end)]
  const more = ((late / early - 1) * 100).toFixed(1)
  console.log(
    `  ${early.toFixed(1)} MiB after a tenth, ${late.toFixed(1)} MiB at the end (${more} %)`,
  )
}

const answer =
  '{"model":"m","answers":{"double":{"type":"noul","noul":0.5}},"usage":{"input_tokens":1,"output_tokens":1}}'
