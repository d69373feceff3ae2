/**
 * What the compiler infers from questions. Nothing here runs beyond the check that the file was compiled: `npm test`
 * fails if an expectation or an `@ts-expect-error` does not hold.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnswersTo, type Client, choice, createClient, noul, score } from '../../lib/library'

const test = suite('library/types')

/** Whether two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const expect = <_Holds extends true>(): void => undefined

const questions = {
  billing: noul('Is this about a bill?'),
  tone: choice('What is the tone?', ['calm', 'angry']),
  cause: choice('What is the cause?', { bug: 'the program is wrong', user: null }),
  urgency: score('How urgent?', ['not at all', 'somewhat', 'very']),
}

type Answers = AnswersTo<typeof questions>

export const infer = (answers: Answers, client: Client) => {
  expect<Same<keyof Answers, 'billing' | 'tone' | 'cause' | 'urgency'>>()
  // @ts-expect-error A refusal has to be handled first.
  answers.billing.noul
  // @ts-expect-error There is no such question.
  answers.biling
  const { billing, tone, cause, urgency } = answers
  if (billing.type === 'noul') expect<Same<typeof billing.noul, number>>()
  else expect<Same<typeof billing.type, 'refusal'>>()
  if (tone.type === 'choice') {
    expect<Same<typeof tone.choice, 'calm' | 'angry'>>()
    expect<
      Same<NonNullable<typeof tone.probabilities>, Readonly<Record<'calm' | 'angry', number>>>
    >()
    // @ts-expect-error The question has no such label.
    tone.choice === 'loud'
    // @ts-expect-error Some services give no probabilities.
    tone.probabilities.calm
  }
  if (cause.type === 'choice') expect<Same<typeof cause.choice, 'bug' | 'user'>>()
  if (urgency.type === 'score') {
    expect<Same<typeof urgency.level, 0 | 1 | 2 | undefined>>()
    expect<Same<NonNullable<typeof urgency.probabilities>, Readonly<Record<0 | 1 | 2, number>>>>()
    // @ts-expect-error The scale has three levels.
    urgency.level === 3
  }
  createClient({ apiKey: 'k', refusals: 'throw' })
    .ask('x', questions)
    .then((one) => expect<Same<typeof one.answers.billing.noul, number>>())
  // @ts-expect-error A score has at least two levels.
  score('How urgent?', ['very'])
  // @ts-expect-error A noul has no labels.
  noul('Is it?', ['yes', 'no'])
  // @ts-expect-error There is no such type of question.
  client.ask('x', { q: { type: 'rank', instructions: '?' } })
  // @ts-expect-error There is no such option.
  client.ask('x', questions, { retries: 3 })
  // @ts-expect-error An image is passed as bytes.
  client.ask('x', questions, { images: { photo: 'box.png' } })
  return client.ask('x', { q: { type: 'choice', criteria: { a: null, b: null } } }).then((one) => {
    const { q } = one.answers
    if (q.type === 'choice') expect<Same<typeof q.choice, 'a' | 'b'>>()
  })
}

test('the expectations above were compiled', () => {
  assert.type(infer, 'function')
})

test.run()
