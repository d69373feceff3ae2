/** The request that the generated TypeScript clients send, and what they read in its answers. */

/** The address of the service. `check.mjs` puts it in. */
declare global {
  const serviceUrl: string
}

/** A question of each type. A `noul` is a yes/no question. */
export const questions = {
  billing: {
    type: 'noul' as const,
    instructions: 'Was the customer charged twice?',
    criteria: { true: 'charged twice', false: null },
  },
  tone: {
    type: 'choice' as const,
    instructions: 'What is the tone?',
    criteria: { calm: 'polite', angry: 'fix it now', other: null },
  },
  urgency: { type: 'score' as const, criteria: ['can wait', { text: 'fix it now' }] },
}

export const state = 'I was charged twice this month. Fix it now.'

/** The answers that the clients read, as text. */
export const formatAnswers = (
  probability: number,
  label: string,
  labels: ReadonlyArray<string>,
  score: number,
  legend: object,
): string => JSON.stringify([probability > 0.5, label, labels, score > 0.5, legend])
