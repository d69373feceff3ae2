import { toJson } from '../../lib/json/draft'
import type { EngineQuestion } from '../../lib/service/contract/engine'
import { installLlama } from '../llama/installed'
import { answers, watched, withEngine } from '../service/engines/local/local-support'
import { median } from './measure'

const about = (topic: string): EngineQuestion => ({
  ...{ type: 'noul', instructions: toJson(`Is it about ${topic}?`) },
})
const question = about('billing')
const state = 'I was charged twice this month. '.repeat(20)

/**
 * Prints what answers of the local engine take with the tests' tiny model, on one thread: nearly all of it is what
 * svc and the library do besides the arithmetic of a real model. The numbers of tokens read are those of any model.
 */
export const reportLocal = async (rounds: number): Promise<void> => {
  const { good, output } = await installLlama()
  if (!good) throw new Error(output)
  let tokens = 0
  const watch = watched((size) => {
    tokens += size
  })
  await withEngine(
    async (engine) => {
      const measureAnswers = async (name: string, ask: (round: number) => Promise<unknown>) => {
        const times: number[] = []
        tokens = 0
        for (let round = 0; round < rounds; round += 1) {
          const started = performance.now()
          await ask(round)
          times.push(performance.now() - started)
        }
        const read = Math.round(tokens / rounds)
        console.log(`  ${name}: ${median(times).toFixed(0)} ms, ${read} tokens read`)
      }
      console.log('\nlocal engine, a tiny model, one thread, states of 1,000 tokens (medians)')
      await measureAnswers('a new state', (round) =>
        answers(engine, `${round} ${state}`, { q: question }),
      )
      await measureAnswers('30 questions about a new state', (round) =>
        answers(engine, `${round}, ${state}`, thirty),
      )
      await measureAnswers('two states in turn', (round) =>
        answers(engine, `${round % 2} again ${state}`, { q: question }),
      )
    },
    {},
    watch,
  )
}

const thirty = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [`q${i}`, about(`${i} bills`)]),
)
