/**
 * Compares the local engine with `--engine openai` in front of llama-cpp-python's server, over the same weights:
 *
 *     pip install 'llama-cpp-python[server]'
 *     node --import tsx test/outside/llama-cpp-python.ts [model.gguf]
 *
 * Without a file the tests' random model is taken. `PYTHON` is the Python that has the package. Prints the answers of both
 * and ends with 1 where two probabilities differ by more than 0.001. No state has the name of a control token: the server
 * takes it for one, and the local engine for text.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as E from 'fp-ts/Either'
import { toJson } from '../../lib/json/draft'
import type { Distribution, EngineQuestion } from '../../lib/service/contract/engine'
import { installLlama } from '../llama/installed'
import { answers, tinyPath, withEngine } from '../service/engines/local/local-support'
import { startAt } from '../service/engines/openai-support'
import { until } from '../support/until'

const port = 8793
const url = `http://127.0.0.1:${port}/v1`
const [model = tinyPath] = process.argv.slice(2)

/** With more than two options, letters of the random model are not all among the 20 tokens that a server lists. */
const questions: Readonly<Record<string, EngineQuestion>> = {
  billing: { type: 'noul', instructions: toJson('Is it about billing?') },
  tone: {
    ...{ type: 'choice', instructions: toJson('Which tone?') },
    criteria: ['calm', 'angry'].map((label) => [label, null] as const),
  },
  urgency: { type: 'score', criteria: ['not urgent', 'very urgent'].map(toJson) },
}
const states = [
  'I was charged twice this month, and nobody answers.',
  { order: 7, note: 'Grüße aus Köln, 你好' },
  'The parcel came in time. '.repeat(8),
]

const probabilitiesOf = (answer: Distribution): ReadonlyArray<number> =>
  answer.type === 'noul' ? [answer.yes] : answer.probabilities

const { good, output } = await installLlama()
if (!good) throw new Error(output)
const server = spawn(
  process.env.PYTHON ?? 'python3',
  [
    ...['-m', 'llama_cpp.server', '--model', model, '--model_alias', 'small'],
    ...['--host', '127.0.0.1', '--port', `${port}`, '--n_ctx', '2048', '--n_threads', '1'],
    ...['--logits_all', 'true'],
  ],
  { stdio: 'ignore' },
)
try {
  await until(async () => (await fetch(`${url}/models`).catch(() => undefined))?.ok === true)
  const remote = await startAt(url, { concurrency: 1, timeout: 600_000_000_000n })
  if (E.isLeft(remote)) throw new Error(JSON.stringify(remote.left))
  await withEngine(
    async (local) => {
      let most = 0
      for (const state of states) {
        const [one, other] = [
          await answers(local, state, questions),
          await answers(remote.right, state, questions),
        ].map((all) => all.flatMap(probabilitiesOf)) as [number[], number[]]
        console.log(one.map((p, i) => `${p.toFixed(6)} ${other[i]?.toFixed(6)}`).join(' | '))
        most = Math.max(most, ...one.map((p, i) => Math.abs(p - (other[i] ?? 0))))
      }
      console.log(`the largest difference is ${most.toExponential(1)}`)
      process.exitCode = most <= 0.001 ? 0 : 1
    },
    { model },
  )
} finally {
  server.kill()
  await once(server, 'exit')
}
