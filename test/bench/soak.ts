import { residentMiB, startServer } from './serve'
import { soak } from './soak-requests'

const at = (sorted: ReadonlyArray<number>, share: number): string =>
  (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1)

/** Memory of `svc serve`, and how long its small requests take, over many requests of all kinds. */
export const reportSoak = async (bin: string, amount: number): Promise<void> => {
  console.log(
    `\nsvc serve, ${amount} mixed requests: sizes, faults, slow readers, aborts; 16 at a time`,
  )
  const service = await startServer([bin, 'serve', '--port', '0'])
  const tenth = Math.ceil(amount / 10)
  await soak(service.url, 200, { lanes: 16, seed: 0 })
  console.log(`  at the start        ${(await residentMiB(service)).toFixed(0).padStart(5)} MiB`)
  for (let i = 1; i <= 10; i++) {
    const { latencies } = await soak(service.url, tenth, { lanes: 16, seed: i })
    const sorted = [...latencies].sort((one, other) => one - other)
    const memory = (await residentMiB(service)).toFixed(0).padStart(5)
    const times = `small requests: median ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms`
    console.log(`  after ${String(i * tenth).padStart(7)}       ${memory} MiB   ${times}`)
  }
  service.child.kill()
}
