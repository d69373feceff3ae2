import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../lib/runtime/random'
import { createTemporaryFolder } from '../support/folders'
import { measurePeakMiB } from './measure'

const roundTo2Digits = (value: number): number => Number(value.toFixed(2))

/** Draws the answers of a model: one of each type. A `noul` answers a yes/no question. */
const drawAnswers = (random: Random) => {
  const confidence = roundTo2Digits(0.5 + random.nextFloat() / 2)
  const otherProbability = roundTo2Digits(1 - confidence)
  return {
    billing: { type: 'noul', noul: roundTo2Digits(random.nextFloat()) },
    tone: {
      type: 'choice',
      choice: 'calm',
      confidence,
      probabilities: { calm: confidence, angry: otherProbability },
    },
    urgency: {
      type: 'score',
      score: confidence,
      confidence,
      legend: { 0: 'not urgent', 1: 'urgent' },
      probabilities: { 0: otherProbability, 1: confidence },
    },
  }
}

const drawLabels = (random: Random) => ({
  billing: random.nextFloat() < 0.5,
  tone: random.nextFloat() < 0.75 ? 'calm' : 'angry',
  urgency: random.nextFloat() < 0.75 ? 1 : 0,
})

/**
 * Writes a run of three questions: a file of records like that of `svc batch`. All runs have the same rows and labels. The seed
 * determines the answers.
 */
const writeRun = async (path: string, rowCount: number, seed: number): Promise<void> => {
  const labelRandom = createRandom(0)
  const answerRandom = createRandom(seed)
  const file = createWriteStream(path)
  for (let index = 0; index < rowCount; index++) {
    const record = {
      index,
      id: `t-${index}`,
      labels: drawLabels(labelRandom),
      state_sha256: createHash('sha256').update(String(index)).digest('hex'),
      questions_sha256: '0'.repeat(64),
      model: 'm',
      answers: drawAnswers(answerRandom),
      usage: { input_tokens: 407, output_tokens: 72 },
    }
    if (!file.write(`${JSON.stringify(record)}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

/** The commands call no service. */
const noBaseUrl = ''

interface RunsOptions {
  /** The path of Node. */
  readonly node: string
  /** The path of `svc`. */
  readonly bin: string
  /** The path of the module that reports the peak memory. */
  readonly memoryReporter: string
  /** The number of records of a run. */
  readonly rowCount: number
}

/** Prints the time and the peak memory of each command that reads runs. */
export const reportRuns = async (options: RunsOptions): Promise<void> => {
  const { node, bin, memoryReporter, rowCount } = options
  const folder = createTemporaryFolder()
  const runA = join(folder, 'a.jsonl')
  const runB = join(folder, 'b.jsonl')
  await writeRun(runA, rowCount, 1)
  await writeRun(runB, rowCount, 2)
  console.log(`\n${rowCount} records of three questions`)
  const commands = [
    ['gate', '-i', runA, '--require', 'billing.noul >= 0.5', '--allow', '100%'],
    ['select', '-i', runA, '--where', 'billing.noul >= 0.5'],
    ['sample', '-i', runA, '-n', '1000', '--for', 'review'],
    ['eval', '-i', runA],
    ['calibrate', '-i', runA, '--target', 'accuracy=0.8'],
    ['compare', runA, runB],
  ]
  for (const args of commands) {
    const name = `svc ${args[0]}`
    const subject = { name, command: node, args: [bin, ...args] }
    const startMs = performance.now()
    const peakMiB = await measurePeakMiB(subject, noBaseUrl, memoryReporter)
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
    console.log(`  ${name.padEnd(34)} ${`${seconds} s`.padStart(11)}   ${peakMiB.toFixed(0)} MiB`)
  }
}
