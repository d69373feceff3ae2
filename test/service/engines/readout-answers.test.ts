import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EngineRequest } from '../../../lib/service/contract/engine'
import { engineFailed } from '../../../lib/service/contract/problem'
import { readAnswers } from '../../../lib/service/engines/readout/answers'

const test = suite('service: the questions of a request, asked by letters')

const never = new AbortController().signal
const options = { permutations: 1, temperature: 1 }
const questions = Array.from(
  { length: 1000 },
  (_, i) => [`q${i}`, { type: 'noul' }] as const,
) satisfies EngineRequest['questions']

/** A model that is sure of yes. `fails` returns true for calls that fail. */
const model = (fails: (call: number) => boolean) => {
  const seen = { calls: 0, now: 0, most: 0, stopped: 0 }
  const ask = (_: string, signal: AbortSignal) => async () => {
    const call = seen.calls++
    signal.addEventListener('abort', () => seen.stopped++, { once: true })
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    await new Promise((next) => setImmediate(next))
    seen.now -= 1
    return fails(call)
      ? E.left(engineFailed(`call ${call}`))
      : E.right({
          candidates: [
            { token: 'A', logprob: Math.log(0.9) },
            { token: 'B', logprob: Math.log(0.1) },
          ],
          input: call === 0 ? null : 2,
          output: null,
        })
  }
  return { seen, asked: { ask, maxConcurrent: 3, maxOptions: 20 } }
}

test('asks at most maxConcurrent questions at a time, and answers each', async () => {
  const { seen, asked } = model(() => false)
  const answered = await readAnswers(questions, options, asked, never)()
  assert.ok(E.isRight(answered))
  const { answers, usage } = answered.right
  assert.is(answers.length, 1000)
  assert.ok(answers.every((answer) => answer.type === 'noul'))
  assert.equal(usage, { input_tokens: 2 * 999, output_tokens: null })
  assert.equal([seen.calls, seen.most, seen.stopped], [1000, 3, 0])
})

test('asks no further question after a failure', async () => {
  const { seen, asked } = model((call) => call >= 10)
  const answers = await readAnswers(questions, options, asked, never)()
  assert.equal(answers, E.left({ ...engineFailed('question "q10": call 10'), cause: 'call 10' }))
  assert.ok(seen.calls <= 13, String(seen.calls))
  assert.is(seen.stopped, seen.calls)
})

test('a failure names its question in at most 100 characters', async () => {
  const long = [['q'.repeat(1000), { type: 'noul' }]] as const
  const answers = await readAnswers(long, options, model(() => true).asked, never)()
  const { message } = E.isLeft(answers) ? answers.left : { message: '' }
  assert.is(message, `question "${'q'.repeat(100)}...": call 0`)
})

test.run()
