/**
 * Checks the types that the compiler infers from questions. The compiler does the checking: it refuses this file if a type
 * differs from the expected one, or if a line after `@ts-expect-error` has no error.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnswersTo, type Client, choice, createClient, noul, score } from '../../lib/library'
import type { IdenticalTypes } from '../support/identical-types'

const test = suite('library/types')

/** Compiles only if `_Condition` is the type `true`. */
const expectType = <_Condition extends true>(): void => undefined

/** Questions of all types. `noul` creates a yes/no question. */
const questions = {
  billing: noul('Is this about a bill?'),
  tone: choice('What is the tone?', ['calm', 'angry']),
  cause: choice('What is the cause?', { bug: 'the program is wrong', user: null }),
  urgency: score('How urgent?', ['not at all', 'somewhat', 'very']),
}

type Answers = AnswersTo<typeof questions>

// Nothing calls these functions. They are exported because the compiler reports unused ones.

export const checkAnswers = (answers: Answers) => {
  expectType<IdenticalTypes<keyof Answers, 'billing' | 'tone' | 'cause' | 'urgency'>>()
  // @ts-expect-error There is no such question.
  answers.biling
  // @ts-expect-error The answer may be a refusal, which has no such field.
  answers.billing.noul
}

export const checkNoul = ({ billing }: Answers) => {
  if (billing.type === 'noul') expectType<IdenticalTypes<typeof billing.noul, number>>()
  else expectType<IdenticalTypes<typeof billing.type, 'refusal'>>()
}

export const checkChoice = ({ tone, cause }: Answers) => {
  if (tone.type === 'choice') {
    expectType<IdenticalTypes<typeof tone.choice, 'calm' | 'angry'>>()
    type Probabilities = Readonly<Record<'calm' | 'angry', number>>
    expectType<IdenticalTypes<typeof tone.probabilities, Probabilities | undefined>>()
    // @ts-expect-error The question has no such label.
    tone.choice === 'loud'
    // @ts-expect-error Some services give no probabilities.
    tone.probabilities.calm
  }
  if (cause.type === 'choice') expectType<IdenticalTypes<typeof cause.choice, 'bug' | 'user'>>()
}

export const checkScore = ({ urgency }: Answers) => {
  if (urgency.type !== 'score') return
  expectType<IdenticalTypes<typeof urgency.level, 0 | 1 | 2 | undefined>>()
  type Probabilities = Readonly<Record<0 | 1 | 2, number>>
  expectType<IdenticalTypes<typeof urgency.probabilities, Probabilities | undefined>>()
  // @ts-expect-error The scale has three levels.
  urgency.level === 3
}

export const checkQuestionFunctions = () => {
  // @ts-expect-error A score has at least two levels.
  score('How urgent?', ['very'])
  // @ts-expect-error A noul has no labels.
  noul('Is it?', ['yes', 'no'])
}

export const checkClient = async (client: Client) => {
  // @ts-expect-error There is no such type of question.
  await client.ask('x', { q: { type: 'rank', instructions: '?' } })
  // @ts-expect-error There is no such option.
  await client.ask('x', questions, { retries: 3 })
  // @ts-expect-error An image is passed as bytes.
  await client.ask('x', questions, { images: { photo: 'box.png' } })
  // @ts-expect-error A batch takes no images.
  client.batch([{ state: 'x', images: {} }], questions)
  const response = await client.ask('x', { q: { type: 'choice', criteria: { a: null, b: null } } })
  const { q } = response.answers
  if (q.type === 'choice') expectType<IdenticalTypes<typeof q.choice, 'a' | 'b'>>()
}

export const checkThrownRefusals = async () => {
  const client = createClient({ apiKey: 'k', refusals: 'throw' })
  const { billing } = (await client.ask('x', questions)).answers
  expectType<IdenticalTypes<typeof billing.noul, number>>()
}

test('the compiler accepts the types above', () => {
  // `npm test` compiles this file first, so there is nothing to run.
  assert.type(checkAnswers, 'function')
})

test.run()
