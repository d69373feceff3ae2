import { toJson } from '../../lib/json/draft'
import type { EngineQuestion } from '../../lib/service/contract/engine'
import { installLlama } from '../llama/installed'
import { answers, withEngine } from '../service/engines/local/local-support'
import { median } from './measure'

const question: EngineQuestion = { type: 'noul', instructions: toJson('Is it about billing?') }
const state = 'I was charged twice this month. '.repeat(20)

/**
 * Prints what an answer of the local engine takes with the tests' tiny model, on one thread: nearly all of it is what
 * svc and the library do besides the arithmetic of a real model.
 */
export const reportLocal = async (rounds: number): Promise<void> => {
  const { good, output } = await installLlama()
  if (!good) throw new Error(output)
  await withEngine(async (engine) => {
    const fresh: number[] = []
    const further: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now()
      await answers(engine, `${round} ${state}`, { q: question })
      const first = performance.now()
      await answers(engine, `${round} ${state}`, { q: question, r: question })
      fresh.push(first - started)
      further.push((performance.now() - first) / 2)
    }
    console.log('\nlocal engine: a question of 1,000 tokens to a tiny model, one thread (medians)')
    console.log(
      `  a new state ${median(fresh).toFixed(0)} ms, the same state ${median(further).toFixed(0)} ms`,
    )
  })
}
