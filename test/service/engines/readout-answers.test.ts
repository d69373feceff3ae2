import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { engineFailed } from '../../../lib/service/contract/problem'
import { readAnswers } from '../../../lib/service/engines/readout/answers'

const test = suite('service: the questions of a request, answered by letters')

const neverAborted = new AbortController().signal
const options = { permutations: 1, temperature: 1 }
/** A thousand yes/no questions (`noul`). */
const questions = Array.from({ length: 1000 }, (_, i) => [`q${i}`, { type: 'noul' }] as const)

/** The letter A is the option yes, and B is no. */
const candidates = [
  { token: 'A', logprob: Math.log(0.9) },
  { token: 'B', logprob: Math.log(0.1) },
]

/** Creates a model that answers yes. `isFailing` returns true if the call with this number, from 0, fails. By default, no call fails. */
const createModel = (isFailing: (call: number) => boolean = () => false) => {
  const counts = { calls: 0, concurrent: 0, maxConcurrent: 0, aborted: 0 }
  const complete = (_: string, signal: AbortSignal) => async () => {
    const call = counts.calls
    counts.calls += 1
    signal.addEventListener('abort', () => {
      counts.aborted += 1
    })
    counts.concurrent += 1
    counts.maxConcurrent = Math.max(counts.maxConcurrent, counts.concurrent)
    await new Promise((resolve) => setImmediate(resolve))
    counts.concurrent -= 1
    if (isFailing(call)) return E.left(engineFailed(`call ${call}`))
    // The first call reports no tokens.
    return E.right({ candidates, inputTokens: call === 0 ? null : 2, outputTokens: null })
  }
  return { counts, model: { complete, maxConcurrent: 3, maxOptions: 20 } }
}

test('asks at most maxConcurrent questions at the same time', async () => {
  const { counts, model } = createModel()
  await readAnswers(questions, options, model, neverAborted)()
  assert.equal(counts, { calls: 1000, concurrent: 0, maxConcurrent: 3, aborted: 0 })
})

test('answers each question, and sums the reported tokens', async () => {
  const { model } = createModel()
  const result = await readAnswers(questions, options, model, neverAborted)()
  assert.ok(E.isRight(result))
  const { answers, usage } = result.right
  assert.is(answers.length, 1000)
  assert.ok(answers.every(({ type }) => type === 'noul'))
  assert.equal(usage, { input_tokens: 2 * 999, output_tokens: null })
})

test('aborts the calls in flight after a failure, and asks no further question', async () => {
  const { counts, model } = createModel((call) => call >= 10)
  const result = await readAnswers(questions, options, model, neverAborted)()
  const failure = { ...engineFailed('question "q10": call 10'), cause: 'call 10' }
  assert.equal(result, E.left(failure))
  // Eleven calls until the failure, and two that are in flight then.
  assert.ok(counts.calls <= 13, String(counts.calls))
  // All calls have the same signal.
  assert.is(counts.aborted, counts.calls)
})

test('a failure has at most 100 characters of the question’s id', async () => {
  const longId = 'q'.repeat(1000)
  const { model } = createModel(() => true)
  const result = await readAnswers([[longId, { type: 'noul' }]], options, model, neverAborted)()
  assert.ok(E.isLeft(result))
  assert.is(result.left.message, `question "${'q'.repeat(100)}...": call 0`)
})

test.run()
