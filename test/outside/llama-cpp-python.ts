/**
 * Compares the answers of the local engine with those of `--engine openai` over llama-cpp-python's server, with the same weights:
 *
 *     pip install 'llama-cpp-python[server]'
 *     node --import tsx test/outside/llama-cpp-python.ts [model.gguf]
 *
 * The default model is the random model of the tests. Set `PYTHON` to the Python that has the package. A prompt names each option
 * of a question by a letter, and the model continues it with one of the letters. For each question the script prints three probabilities
 * of the first option:
 *
 * 1. by the local engine, from the 20 likeliest tokens (`maxLetters`)
 * 2. by the server, which lists only the 20 likeliest tokens
 * 3. by the local engine, from all tokens, which include rarer spellings of letters
 *
 * It exits with 1 if the first two differ by more than 0.001. The states must not have names of control tokens: the server reads
 * them as control tokens, and the local engine as text.
 */
import * as assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as E from 'fp-ts/Either'
import { toJson } from '../../lib/codec/json/draft'
import type { EngineQuestion } from '../../lib/service/contract/engine'
import { defaultForm } from '../../lib/service/engines/chat/check'
import { createBodyEncoder } from '../../lib/service/engines/chat/request-body'
import { readPrompt } from '../../lib/service/engines/local/read-prompt'
import { type Candidate, maxLetters, readLetters } from '../../lib/service/engines/readout/letters'
import {
  formatOptions,
  formatPrefix,
  formatQuestion,
} from '../../lib/service/engines/readout/prompt'
import { softmax } from '../../lib/service/engines/readout/read-distribution'
import { installLlama } from '../llama/install-llama'
import { connectTo } from '../service/engines/ask-chat-engine'
import { openTestModel, tinyPath } from '../service/engines/local/open-local-engine'
import { until } from '../support/until'

const port = 8793
const url = `http://127.0.0.1:${port}/v1`
const [modelPath = tinyPath] = process.argv.slice(2)

/** The name of the model in requests to the server. */
const modelAlias = 'small'

/** The members that svc sends with every request: only the model. `extraMembers` would be those of the flag `--engine-body`. */
const modelOptions = { model: modelAlias, extraMembers: undefined }

/** Questions have two options, because the random model does not put the letters of more options among its 20 likeliest tokens. */
const questions: ReadonlyArray<EngineQuestion> = [
  { type: 'noul', instructions: 'Is it about billing?' },
  {
    type: 'choice',
    instructions: 'Which tone?',
    criteria: [
      ['calm', null],
      ['angry', null],
    ],
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
const neverAborted = new AbortController().signal
const localModel = await openTestModel(modelPath)
const server = spawn(
  process.env.PYTHON ?? 'python3',
  [
    '-m',
    'llama_cpp.server',
    `--model=${modelPath}`,
    `--model_alias=${modelAlias}`,
    '--host=127.0.0.1',
    `--port=${port}`,
    '--n_ctx=2048',
    '--n_threads=1',
    '--logits_all=true',
  ],
  { stdio: 'ignore' },
)
try {
  await until(async () => (await fetch(`${url}/models`).catch(() => undefined))?.ok === true)
  // Ten minutes
  const callTimeoutNs = 10n * 60n * 1_000_000_000n
  const connection = connectTo(url, { timeout: callTimeoutNs })
  const maxAllowedDifference = 0.001
  let maxDifference = 0
  for (const state of states) {
    const promptStart = formatPrefix(state)
    const encodeBody = createBodyEncoder(modelOptions, promptStart, defaultForm)
    for (const question of questions) {
      const promptEnd = formatQuestion(question, formatOptions(question))
      const engineAnswer = expectRight(
        await readPrompt(localModel, promptStart + promptEnd, neverAborted),
      )
      const serverAnswer = expectRight(
        await connection.complete(encodeBody(promptEnd), { signal: neverAborted })(),
      )
      if (engineAnswer.inputTokens !== serverAnswer.inputTokens)
        console.log(
          `the prompt has ${engineAnswer.inputTokens} tokens, and ${serverAnswer.inputTokens} for the server:`,
        )
      const likeliest = [...engineAnswer.candidates].sort((a, b) => b.logprob - a.logprob)
      const engineTop = readFirstOption(likeliest.slice(0, maxLetters))
      const serverTop = readFirstOption(serverAnswer.candidates)
      const engineAll = readFirstOption(engineAnswer.candidates)
      console.log([engineTop, serverTop, engineAll].map((p) => p.toFixed(6)).join(' '))
      maxDifference = Math.max(maxDifference, Math.abs(engineTop - serverTop))
    }
  }
  console.log(`largest difference from the same tokens: ${maxDifference.toExponential(1)}`)
  process.exitCode = maxDifference <= maxAllowedDifference ? 0 : 1
} finally {
  server.kill()
  await once(server, 'exit')
  await localModel.close()
}

/**
 * Returns the probability of the first of two options. The probabilities of the two options sum to 1, even if other tokens are more
 * likely than both.
 */
function readFirstOption(candidates: ReadonlyArray<Candidate>): number {
  const temperature = 1
  const { logprobs } = expectRight(readLetters(candidates, 2))
  const [first] = softmax(logprobs, temperature)
  assert.ok(first !== undefined)
  return first
}

/** Returns the result, or throws with the failure. */
function expectRight<A>(result: E.Either<unknown, A>): A {
  assert.ok(E.isRight(result), JSON.stringify(result))
  return result.right
}
