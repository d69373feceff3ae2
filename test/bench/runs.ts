import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../lib/runtime/random'
import { createTemporaryFolder } from '../support/folders'
import { peakMiB } from './measure'

/**
 * Writes a run with labels and three questions, one of each type. Runs of the same size have the same rows and labels;
 * the answers depend on the seed.
 */
const writeRun = async (path: string, rows: number, seed: number): Promise<void> => {
  const [people, model] = [createRandom(0), createRandom(seed)]
  const file = createWriteStream(path)
  for (let index = 0; index < rows; index++) {
    const p = Number(model.unit().toFixed(2))
    const top = Number((0.5 + model.unit() / 2).toFixed(2))
    const rest = Number((1 - top).toFixed(2))
    const answers = {
      billing: { type: 'noul', noul: p },
      tone: {
        type: 'choice',
        choice: 'calm',
        confidence: top,
        probabilities: { calm: top, angry: rest },
      },
      urgency: {
        type: 'score',
        score: top,
        confidence: top,
        legend: { 0: 'not urgent', 1: 'urgent' },
        probabilities: { 0: rest, 1: top },
      },
    }
    const labels = {
      billing: people.unit() < 0.5,
      tone: people.unit() < 0.75 ? 'calm' : 'angry',
      urgency: people.unit() < 0.75 ? 1 : 0,
    }
    const digest = createHash('sha256').update(String(index)).digest('hex')
    const head = { index, id: `t-${index}`, labels, state_sha256: digest }
    const usage = { input_tokens: 407, output_tokens: 72 }
    const record = { ...head, questions_sha256: '0'.repeat(64), model: 'm', answers, usage }
    if (!file.write(`${JSON.stringify(record)}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

/** Measures the time and the peak memory of each command that reads runs. */
export const reportRuns = async (
  node: string,
  bin: string,
  preload: string,
  rows: number,
): Promise<void> => {
  const folder = createTemporaryFolder()
  const [a, b] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')]
  await writeRun(a, rows, 1)
  await writeRun(b, rows, 2)
  console.log(`\n${rows} records of three questions`)
  const commands = [
    ['gate', '-i', a, '--require', 'billing.noul >= 0.5', '--allow', '100%'],
    ['select', '-i', a, '--where', 'billing.noul >= 0.5'],
    ['sample', '-i', a, '-n', '1000', '--for', 'review'],
    ['eval', '-i', a],
    ['calibrate', '-i', a, '--target', 'accuracy=0.8'],
    ['compare', a, b],
  ]
  for (const args of commands) {
    const name = `svc ${args[0]}`
    const started = performance.now()
    const memory = await peakMiB({ name, command: node, args: [bin, ...args] }, '', preload)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`  ${name.padEnd(34)} ${`${seconds} s`.padStart(11)}   ${memory.toFixed(0)} MiB`)
  }
}
