import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './measure'

const answer = JSON.stringify({
  model: 'svc-1',
  answers: {
    covers_00: { type: 'noul', noul: 0.9 },
    contradicts_spec: { type: 'noul', noul: 0.1 },
    thoroughness: { type: 'score', score: 2.5, confidence: 0.5 },
    weakest_area: { type: 'choice', choice: 'none', confidence: 0.5 },
  },
})

/** A service that takes `ms` for every answer. */
const slowService = async (ms: number) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
      }, ms)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** A folder with `count` units, each of some 100 kB of sources of its own. */
const project = (count: number): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  mkdirSync(join(folder, 'src'))
  const units = Array.from({ length: count }, (_, index) => {
    const path = `src/${index}.ts`
    writeFileSync(join(folder, path), `export const n${index} = ${index}\n`.repeat(2000))
    return {
      ...{ name: `unit ${index}`, spec: `spec-${index % 8}.md`, spec_heading: '## Limits' },
      ...{ implementation: [path], tests: [path], behaviors: ['keeps the limit'] },
    }
  })
  for (let index = 0; index < 8; index++)
    writeFileSync(join(folder, `spec-${index}.md`), `## Limits\n${'Text. '.repeat(2000)}\n`)
  writeFileSync(join(folder, 'svc-review.json'), JSON.stringify({ units }))
  return folder
}

/** Runs the program quietly; gives what it wrote on descriptor 3. */
const run = (args: ReadonlyArray<string>, cwd: string, url: string): Promise<string> =>
  new Promise((done, failed) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH, SERVICE_API_KEY: 'k', SERVICE_BASE_URL: url },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    let told = ''
    child.stdio[3]?.on('data', (chunk) => {
      told += chunk
    })
    child.on('error', failed)
    child.on('close', (code) => {
      if (code === 0) done(told)
      else failed(new Error(`svc review ended with ${code}`))
    })
  })

/** 24 units against a service that takes 200 ms each: wall time and what it could be at best. */
export const reportReview = async (bin: string, rounds: number): Promise<void> => {
  const folder = project(24)
  const service = await slowService(200)
  console.log(`\nsvc review, 24 units of 200 ms (${rounds} rounds)`)
  const times = async (args: ReadonlyArray<string>): Promise<number> => {
    const values: number[] = []
    for (let round = 0; round < rounds; round++) {
      const started = performance.now()
      await run(args, folder, service.url)
      values.push(performance.now() - started)
    }
    return median(values)
  }
  const startUp = await times([bin, 'review', '--dry-run', '--only', 'unit 0'])
  for (const concurrency of [4, 12]) {
    const wall = await times([bin, 'review', '--concurrency', `${concurrency}`])
    const best = (24 / concurrency) * 200
    const ratio = ((wall - startUp) / best).toFixed(2)
    const name = `  --concurrency ${concurrency}`.padEnd(36)
    const parts = `${wall.toFixed(0)} ms, ${startUp.toFixed(0)} ms of them start-up`
    console.log(`${name} ${parts}; the rest is ${ratio} of ${best} ms`)
  }
  service.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Peak memory of a run with few and with many units. */
export const reportReviewMemory = async (bin: string, preload: string): Promise<void> => {
  console.log('\npeak memory of svc review')
  const service = await slowService(0)
  for (const count of [120, 1200]) {
    const folder = project(count)
    const peak = await run(['--require', preload, bin, 'review'], folder, service.url)
    console.log(`${`  ${count} units`.padEnd(36)} ${(Number(peak) / 1024).toFixed(1)} MiB`)
    rmSync(folder, { recursive: true, force: true })
  }
  service.close()
}
