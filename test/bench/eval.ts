import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { measureChoice } from '../../lib/measure/choice-figures'
import { createCollector } from '../../lib/measure/collect'
import type { Draws } from '../../lib/measure/figures'
import type { LabelledRun } from '../../lib/measure/labelled'
import { measureNoul } from '../../lib/measure/noul-figures'
import { measureScore } from '../../lib/measure/score-figures'
import { readRun } from '../../lib/run/read'
import { drawsFor } from '../../lib/statistics/bootstrap'
import { createRandom } from '../../lib/statistics/random'
import { temporaryFolder } from '../support/folders'
import { median } from './measure'

const rows = 100_000

/** A run with labels: three questions, one of each type. */
const run = (): string => {
  const random = createRandom(0)
  const digest = '0'.repeat(64)
  const lines = Array.from({ length: rows }, (_, index) => {
    const [p, top] = [random.unit(), 0.5 + random.unit() / 2].map((one) => Number(one.toFixed(2)))
    const rest = Number((1 - (top as number)).toFixed(2))
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
      billing: random.unit() < (p as number),
      tone: random.unit() < (top as number) ? 'calm' : 'angry',
      urgency: random.unit() < (top as number) ? 1 : 0,
    }
    const head = { index, id: `t-${index}`, labels, state_sha256: digest, questions_sha256: digest }
    return JSON.stringify({
      ...head,
      model: 'm',
      answers,
      usage: { input_tokens: 407, output_tokens: 72 },
    })
  })
  return `${lines.join('\n')}\n`
}

const parse = async (file: string): Promise<void> => {
  for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') JSON.parse(line)
}

const read = async (file: string): Promise<LabelledRun> => {
  const { add, finish } = createCollector()
  const source = {
    name: file,
    chunks: createReadStream(file),
    signal: new AbortController().signal,
  }
  const count = await readRun(source, add)()
  const result = finish()
  if (E.isLeft(count) || E.isLeft(result)) throw new Error('the run cannot be read')
  return result.right
}

const figures = ({ questions }: LabelledRun, draws: Draws): void => {
  for (const question of questions.values()) {
    if (question.type === 'noul') measureNoul(question, draws)
    else if (question.type === 'choice') measureChoice(question, draws)
    else measureScore(question, draws)
  }
}

/** Measures `svc eval` of 100,000 labelled rows, with and without its draws, against `JSON.parse` of the same file. */
export const reportEval = async (rounds: number): Promise<void> => {
  const file = join(temporaryFolder(), 'run.jsonl')
  writeFileSync(file, run())
  const subjects: ReadonlyArray<readonly [string, () => Promise<void>]> = [
    ['svc eval, the draws apart', async () => figures(await read(file), { draws: 0, seed: 0 })],
    ['svc eval', async () => figures(await read(file), { draws: drawsFor(rows), seed: 0 })],
    ['JSON.parse of the same lines', () => parse(file)],
  ]
  console.log(`\nsvc eval, ${rows} labelled rows of three questions (${rounds} rounds)`)
  const times = subjects.map(() => [] as number[])
  for (let round = 0; round < rounds; round++)
    for (const [index, [, work]] of subjects.entries()) {
      const started = performance.now()
      await work()
      times[index]?.push(performance.now() - started)
    }
  const least = median(times.at(-1) ?? [])
  for (const [index, [name]] of subjects.entries()) {
    const time = median(times[index] ?? [])
    const ratio = (time / least).toFixed(2)
    console.log(`  ${name.padEnd(34)} ${`${time.toFixed(1)} ms`.padStart(11)}   ratio ${ratio}`)
  }
}
