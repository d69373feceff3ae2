import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { badAnswer, type EngineRequest } from '../../../lib/service/engines/engine'
import { readAnswers } from '../../../lib/service/engines/readout/answers'

const test = suite('service: the questions of a request, asked by letters (D40)')

const options = { permutations: 1, temperature: 1 }
const questions = Array.from(
  { length: 1000 },
  (_, i) => [`q${i}`, { type: 'noul' }] as const,
) satisfies EngineRequest['questions']

/** A model that is sure of yes. `fails` tells which of its calls do not succeed. */
const model = (fails: (call: number) => boolean) => {
  const seen = { calls: 0, now: 0, most: 0, stopped: 0 }
  const ask = () => async () => {
    const call = seen.calls++
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    await new Promise((next) => setImmediate(next))
    seen.now -= 1
    return fails(call)
      ? E.left(badAnswer(`call ${call}`))
      : E.right([
          { token: 'A', logprob: Math.log(0.9) },
          { token: 'B', logprob: Math.log(0.1) },
        ])
  }
  const stop = (): void => {
    seen.stopped += 1
  }
  return { seen, asked: { ask, stop, atOnce: 3 } }
}

test('so many at the same time as are allowed, and each is answered', async () => {
  const { seen, asked } = model(() => false)
  const answers = await readAnswers(questions, options, asked)()
  assert.is(E.isRight(answers) && answers.right.length, 1000)
  assert.ok(E.isRight(answers) && answers.right.every((answer) => answer.type === 'noul'))
  assert.equal([seen.calls, seen.most, seen.stopped], [1000, 3, 0])
})

test('after a failure no further one is asked', async () => {
  const { seen, asked } = model((call) => call >= 10)
  const answers = await readAnswers(questions, options, asked)()
  assert.equal(answers, E.left({ ...badAnswer('question "q10": call 10'), cause: 'call 10' }))
  assert.ok(seen.calls <= 13, String(seen.calls))
  assert.is(seen.stopped, 1)
})

test.run()
