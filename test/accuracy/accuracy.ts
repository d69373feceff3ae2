/**
 * How right an engine is on labelled rows: `npm run accuracy -- [--step n] [flags of svc serve]`, such as
 * `--engine local --engine-model model.gguf`; `--step 10` asks about every tenth row only. Starts `svc serve` with the
 * flags and asks it by HTTP. Prints shares with Wilson's 95 % intervals, and the loss with one by bootstrap.
 * `npm run accuracy -- --fit` fits the divisors of the lexical engine instead, and asks no service.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Entries, toJson } from '../../lib/json/draft'
import { textOf } from '../../lib/json/json'
import { bootstrap, drawsFor, singly } from '../../lib/statistics/bootstrap'
import { wilson } from '../../lib/statistics/intervals'
import { mean, ones } from '../../lib/statistics/numbers'
import { seeded } from '../../lib/statistics/random'
import { installLlama, programIn } from '../llama/installed'
import { root, temporaryFolder } from '../support/folders'
import { fit } from './fit'
import { groupsOf } from './groups'
import { type Item, itemsOf } from './items'
import { type Outcome, outcomeOf } from './measure'
import { reviews, sources } from './reviews'

const args = process.argv.slice(2)
const at = args.indexOf('--step')
const step = at < 0 ? 1 : Number(args.splice(at, 2)[1])
if (!(Number.isInteger(step) && step > 0)) throw new Error('--step must be a whole number over 0')

/** The built program: where it is to run the local engine, with the library that the tests of that engine install. */
const program = async (): Promise<string> => {
  const dist = join(root, 'dist')
  if (!args.some((arg) => arg === 'local' || arg === '--engine=local')) return join(dist, 'bin.js')
  const { good, output } = await installLlama()
  if (!good) throw new Error(output)
  return programIn(temporaryFolder(), dist)
}

/** Starts the service, and resolves with its address. */
const started = async (): Promise<{ readonly url: string; readonly stop: () => void }> => {
  const command = [await program(), 'serve', '--port', '0', ...args]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'inherit', 'pipe'] })
  for await (const line of createInterface(child.stderr)) {
    const url = /listening on (http:\S+)/.exec(line)?.[1]
    if (url !== undefined) return { url, stop: () => child.kill() }
    console.error(line)
  }
  throw new Error('svc serve did not start')
}

/** What the service says about an item: one probability for each answer. */
const ask = async (url: string, { state, question }: Item): Promise<ReadonlyArray<number>> => {
  const { criteria } = question
  const written = question.type === 'choice' ? new Entries(question.criteria) : criteria
  const body = toJson({
    state,
    questions: {
      q: { type: question.type, instructions: question.instructions, criteria: written },
    },
  })
  const response = await fetch(`${url}/v1/questions`, {
    method: 'POST',
    headers: { authorization: 'Bearer accuracy', 'content-type': 'application/json' },
    body: textOf(body),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  const { answers } = (await response.json()) as {
    readonly answers: { readonly q: { readonly noul?: number; readonly probabilities?: object } }
  }
  const { noul, probabilities = {} } = answers.q
  return noul === undefined ? Object.values(probabilities) : [1 - noul, noul]
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const share = (part: number, whole: number): string => {
  if (whole === 0) return 'none'
  const { low, high } = wilson(part / whole, whole)
  return `${percent(part / whole)} (${percent(low)} to ${percent(high)})`
}

const report = (name: string, all: ReadonlyArray<Outcome>): void => {
  const count = (verdict: Outcome['verdict']) => all.filter((one) => one.verdict === verdict).length
  const right = count('right')
  const sure = all.filter(({ verdict }) => verdict !== 'none')
  const claimed = mean(
    sure.map(({ claimed }) => claimed),
    ones(sure.length),
  )
  const losses = Float64Array.from(all, ({ loss }) => loss)
  const loss = bootstrap(
    (weights) => ({ loss: mean(losses, weights) }),
    ones(all.length),
    singly(all.length),
    drawsFor(all.length),
    seeded(1),
  ).loss
  console.log(
    `${name}, ${all.length} questions\n  right ${share(right, all.length)}, wrong ` +
      `${share(count('wrong'), all.length)}, no opinion ${share(count('none'), all.length)}\n` +
      `  with an opinion right ${share(right, sure.length)}, claimed ${percent(claimed)}; log loss ` +
      `${mean(losses, ones(all.length)).toFixed(3)} (${loss?.low.toFixed(3)} to ${loss?.high.toFixed(3)})`,
  )
}

const everyNth = (items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  items.filter((_, i) => i % step === 0)

/** Asks about all rows that nothing of the lexical engine was fitted to, and about the author's own set. */
const measureService = async (): Promise<void> => {
  const { url, stop } = await started()
  const ofType = new Map<string, Outcome[]>()
  const outcomesOf = async (items: ReadonlyArray<Item>): Promise<ReadonlyArray<Outcome>> => {
    const outcomes: Outcome[] = []
    for (const item of items) outcomes.push(outcomeOf(await ask(url, item), item.answer))
    return outcomes
  }
  try {
    for (const { name, type, items } of groupsOf('held')) {
      const outcomes = await outcomesOf(everyNth(items))
      report(`${name} (${type})`, outcomes)
      ofType.set(type, [...(ofType.get(type) ?? []), ...outcomes])
    }
    for (const [type, outcomes] of ofType) report(`all of these (${type})`, outcomes)
    for (const source of sources) {
      report(`reviews (${source})`, await outcomesOf(reviews(source, step)))
    }
    for (const part of ['tuning', 'test'] as const) {
      report(`the author's own set (${part})`, await outcomesOf(everyNth(itemsOf(part))))
    }
  } finally {
    stop()
  }
}

if (args.includes('--fit')) fit()
else await measureService()
