/**
 * Compares what the local engine reads with what `--engine openai` reads from llama-cpp-python's server over the same weights:
 *
 *     pip install 'llama-cpp-python[server]'
 *     node --import tsx test/outside/llama-cpp-python.ts [model.gguf]
 *
 * Without a file the tests' random model is taken. `PYTHON` is the Python that has the package. Prints for each question the
 * probability of its first option, and ends with 1 where two differ by more than 0.001 that are read from the same tokens: the
 * 20 likeliest, which are all that the server lists. The local engine adds rarer spellings of letters, with which the third
 * figure is read. No state has the name of a control token: the server takes it for one, and the local engine for text.
 */
import * as assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as E from 'fp-ts/Either'
import { toJson } from '../../lib/codec/json/draft'
import type { EngineQuestion } from '../../lib/service/contract/engine'
import { readPrompt } from '../../lib/service/engines/local/read-prompt'
import { defaultForm } from '../../lib/service/engines/openai/check'
import { createBodyEncoder } from '../../lib/service/engines/openai/request-body'
import { type Candidate, maxLetters, readLetters } from '../../lib/service/engines/readout/letters'
import {
  formatOptions,
  formatPrefix,
  formatQuestion,
} from '../../lib/service/engines/readout/prompt'
import { softmax } from '../../lib/service/engines/readout/read-distribution'
import { installLlama } from '../llama/install-llama'
import { connectTo } from '../service/engines/ask-openai-engine'
import { openTestModel, tinyPath } from '../service/engines/local/open-local-engine'
import { until } from '../support/until'

const port = 8793
const url = `http://127.0.0.1:${port}/v1`
const [model = tinyPath] = process.argv.slice(2)

/** With more than two options, letters of the random model are not all among the 20 tokens that a server lists. */
const questions: ReadonlyArray<EngineQuestion> = [
  { type: 'noul', instructions: 'Is it about billing?' },
  {
    ...{ type: 'choice', instructions: 'Which tone?' },
    criteria: ['calm', 'angry'].map((label) => [label, null] as const),
  },
  { type: 'score', criteria: ['not urgent', 'very urgent'].map(toJson) },
]
const states = [
  'I was charged twice this month, and nobody answers.',
  { order: 7, note: 'Grüße aus Köln, 你好' },
  'The parcel came in time. '.repeat(8),
].map(toJson)

const { isOk, output } = await installLlama()
if (!isOk) throw new Error(output)
const never = new AbortController().signal
const open = await openTestModel(model)
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
  const connection = connectTo(url, { timeout: 600_000_000_000n })
  let most = 0
  for (const state of states) {
    const prefix = formatPrefix(state)
    const body = createBodyEncoder('small', prefix, defaultForm, undefined)
    for (const question of questions) {
      const end = formatQuestion(question, formatOptions(question))
      const own = expectRight(await readPrompt(open, prefix + end, never))
      const other = expectRight(await connection.complete(body(end), { signal: never })())
      if (own.input !== other.input)
        console.log(`${own.input} tokens, of which the server makes ${other.input}:`)
      const listed = [...own.candidates].sort((a, b) => b.logprob - a.logprob)
      const [one, two] = [listed.slice(0, maxLetters), other.candidates].map(readFirst)
      console.log(`${one?.toFixed(6)} ${two?.toFixed(6)} ${readFirst(own.candidates).toFixed(6)}`)
      most = Math.max(most, Math.abs((one ?? 0) - (two ?? 0)))
    }
  }
  console.log(`from the same tokens the largest difference is ${most.toExponential(1)}`)
  process.exitCode = most <= 0.001 ? 0 : 1
} finally {
  server.kill()
  await once(server, 'exit')
  await open.close()
}

/** The probability of the first of two options, however little the letters have together. */
function readFirst(candidates: ReadonlyArray<Candidate>): number {
  return softmax(expectRight(readLetters(candidates, 2)).logprobs, 1)[0] ?? Number.NaN
}

function expectRight<A>(result: E.Either<unknown, A>): A {
  assert.ok(E.isRight(result), JSON.stringify(result))
  return result.right
}
