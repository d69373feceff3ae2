/**
 * Checks the types that the compiler infers from questions. The compiler does the checking: it refuses this file if a type
 * differs from the expected one, or if a line after `@ts-expect-error` has no error.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnswersTo, type Client, choice, createClient, noul, score } from '../../lib/library'

const test = suite('library/types')

/** `true` only if A and B are identical types. Comparing generic functions also tells `readonly` and optional fields apart. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only if `Condition` is the type `true`. */
const expectType = <_Condition extends true>(): void => undefined

const questions = {
  billing: noul('Is this about a bill?'),
  tone: choice('What is the tone?', ['calm', 'angry']),
  cause: choice('What is the cause?', { bug: 'the program is wrong', user: null }),
  urgency: score('How urgent?', ['not at all', 'somewhat', 'very']),
}

type Answers = AnswersTo<typeof questions>

export const checkTypes = (answers: Answers, client: Client) => {
  expectType<Same<keyof Answers, 'billing' | 'tone' | 'cause' | 'urgency'>>()
  // @ts-expect-error The answer may be a refusal, which has no such field.
  answers.billing.noul
  // @ts-expect-error There is no such question.
  answers.biling
  const { billing, tone, cause, urgency } = answers
  if (billing.type === 'noul') expectType<Same<typeof billing.noul, number>>()
  else expectType<Same<typeof billing.type, 'refusal'>>()
  if (tone.type === 'choice') {
    expectType<Same<typeof tone.choice, 'calm' | 'angry'>>()
    expectType<
      Same<NonNullable<typeof tone.probabilities>, Readonly<Record<'calm' | 'angry', number>>>
    >()
    // @ts-expect-error The question has no such label.
    tone.choice === 'loud'
    // @ts-expect-error Some services give no probabilities.
    tone.probabilities.calm
  }
  if (cause.type === 'choice') expectType<Same<typeof cause.choice, 'bug' | 'user'>>()
  if (urgency.type === 'score') {
    expectType<Same<typeof urgency.level, 0 | 1 | 2 | undefined>>()
    expectType<
      Same<NonNullable<typeof urgency.probabilities>, Readonly<Record<0 | 1 | 2, number>>>
    >()
    // @ts-expect-error The scale has three levels.
    urgency.level === 3
  }
  createClient({ apiKey: 'k', refusals: 'throw' })
    .ask('x', questions)
    .then((response) => expectType<Same<typeof response.answers.billing.noul, number>>())
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
  return client
    .ask('x', { q: { type: 'choice', criteria: { a: null, b: null } } })
    .then((response) => {
      const { q } = response.answers
      if (q.type === 'choice') expectType<Same<typeof q.choice, 'a' | 'b'>>()
    })
}

test('the compiler accepts the types above', () => {
  // `npm test` compiles this file first, so there is nothing to run.
  assert.type(checkTypes, 'function')
})

test.run()
