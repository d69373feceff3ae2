import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { type Server, startServer } from './serve'

const caller = 'test/bench/hostile-caller.mjs'

/**
 * Sends a hostile request so many times at once, from a process of its own. Resolves with how often each status came.
 * Callers have machines of their own: here theirs has the lowest priority, or the times would tell how the system
 * shares two processors among 64 callers and the service.
 */
const attack = (url: string, name: string, count: number): Promise<string> =>
  text(spawn('nice', ['-n', '19', process.execPath, caller, url, name, String(count)]).stdout)

/** Asks for `/healthz` from another process until `end` settles. Resolves with the milliseconds of the longest answer. */
const health = async (url: string, end: Promise<unknown>): Promise<number> => {
  const probe = spawn(process.execPath, ['test/bench/health-probe.mjs', url])
  void end.then(() => probe.stdin.end())
  return Number(await text(probe.stdout))
}

/** Peak or present memory of a process in MiB, as Linux tells it. */
const memory = ({ child }: Server, field: 'VmHWM' | 'VmRSS'): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
}

/** Asks again and again until `end` settles. Resolves with the milliseconds that each answer took. */
const watched = async (end: Promise<unknown>, once: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = []
  let going = true
  void end.then(() => {
    going = false
  })
  while (going) {
    const started = performance.now()
    await once()
    times.push(performance.now() - started)
    await new Promise((next) => setTimeout(next, 5))
  }
  return times
}

/** A small request and one of 20 KiB. */
const short = 'I was charged twice.'
const long = `${short} `.repeat(1000)

const honest = async (url: string, state: string): Promise<void> => {
  const questions = { q: { type: 'noul', instructions: 'Charged?' } }
  const response = await fetch(`${url}/v1/questions`, {
    method: 'POST',
    headers: { authorization: 'Bearer honest', 'content-type': 'application/json' },
    body: JSON.stringify({ state, questions }),
  })
  if (response.status !== 200) throw new Error(`an honest caller got ${response.status}`)
  await response.arrayBuffer()
}

const seconds = (times: ReadonlyArray<number>): string => (Math.max(...times) / 1000).toFixed(2)

/** What each hostile request costs the service by itself, and how others fare while 64 come at once. */
export const reportHostile = async (bin: string): Promise<void> => {
  const names: ReadonlyArray<string> = JSON.parse(
    execFileSync(process.execPath, [caller]).toString(),
  )
  for (const count of [1, 64]) {
    console.log(`\nsvc serve, hostile requests of up to 2 MiB, ${count} at once`)
    for (const name of names) {
      const service = await startServer([bin, 'serve', '--port', '0'])
      const { url } = service
      for (const state of [short, long]) await honest(url, state)
      const before = memory(service, 'VmRSS')
      const started = performance.now()
      const attacked = attack(url, name, count)
      const [longest, shorts, longs] = await Promise.all([
        health(url, attacked),
        watched(attacked, () => honest(url, short)),
        watched(attacked, () => honest(url, long)),
      ])
      const took = `${((performance.now() - started) / 1000).toFixed(1)} s`
      const more = `+${(memory(service, 'VmHWM') - before).toFixed(0)} MiB`
      const honestly = `honest callers ${seconds(shorts)} s, with 20 KiB ${seconds(longs)} s`
      const worst = `/healthz at most ${longest.toFixed(0)} ms, ${honestly}`
      const statuses = (await attacked).trim().padEnd(22)
      console.log(
        `  ${name.padEnd(28)} ${statuses} ${took.padStart(7)} ${more.padStart(10)}   ${worst}`,
      )
      service.child.kill()
    }
  }
}
