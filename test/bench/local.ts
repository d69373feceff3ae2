import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toJson } from '../../lib/codec/json/draft'
import { promptPrefix } from '../../lib/service/engines/readout/prompt'
import { trialQuestion } from '../../lib/service/engines/readout/trial'
import { installLlama, programIn } from '../llama/installed'
import { temporaryFolder } from '../support/folders'
import { median } from './measure'
import { writeRandomModel } from './random-model'
import { type Server, startServer } from './serve'

const state = 'I was charged twice this month, and nobody answers. '.repeat(60)
const topics = ['billing', 'the tone of the staff', 'a refund that the customer waits for']
const about = (topic: string) => ({ type: 'noul', instructions: `Is it about ${topic}?` })
const thirty = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [`q${i}`, about(`${topics[i % 3]} ${i}`)]),
)

/**
 * Prints the seconds of processor time that `svc serve --engine local` takes on one thread, with a random model of the shape
 * of Qwen3 0.6B and states of 740 tokens. `bins` are the first files of the builds to measure, in turn. Linux only.
 */
export const reportLocal = async (bins: ReadonlyArray<string>, rounds: number): Promise<void> => {
  const { good, output } = await installLlama()
  if (!good) throw new Error(output)
  const folder = temporaryFolder()
  const model = join(folder, 'random.gguf')
  const frame = 'user assistant'
  writeRandomModel(model, [
    ...[promptPrefix(toJson(state)), trialQuestion, 'Is it about', ...topics, frame],
  ])
  const servers: Server[] = []
  const measure = async (name: string, ask: (server: Server, round: number) => Promise<void>) => {
    const times = servers.map((): number[] => [])
    for (let round = 0; round < rounds; round += 1)
      for (const [i, server] of servers.entries()) {
        const before = readProcessorTime(server)
        await ask(server, round)
        times[i]?.push(readProcessorTime(server) - before)
      }
    const medians = times.map((all) => `${median(all).toFixed(1)} s`.padStart(9))
    console.log(`  ${name.padEnd(40)}${medians.join('')}`)
  }
  try {
    for (const [i, bin] of bins.entries()) {
      const program = programIn(join(folder, `${i}`), dirname(realpathSync(bin)))
      const flags = ['--engine', 'local', '--engine-model', model, '--engine-threads', '1']
      const limits = ['--port', '0', '--answer-timeout', '10m']
      servers.push(await startServer([program, 'serve', ...flags, ...limits]))
    }
    console.log(`\nlocal engine, a model of 0.6B, processor time, medians of ${rounds} rounds`)
    await measure('30 short questions about a new state', (server, round) =>
      askAll(server, `${round}. ${state}`, thirty),
    )
    await measure('two new states in turn, six requests', async (server, round) => {
      for (const turn of [0, 1, 0, 1, 0, 1])
        await askAll(server, `${round} ${turn} ${state}`, { q: about('billing') })
    })
  } finally {
    for (const { child } of servers) child.kill()
  }
}

const askAll = async ({ url }: Server, state: string, questions: object): Promise<void> => {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' }
  const body = JSON.stringify({ state, questions })
  const response = await fetch(`${url}/v1/questions`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
}

/** The seconds of processor time that a server has taken, of which Linux counts hundredths. */
const readProcessorTime = ({ child }: Server): number => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
