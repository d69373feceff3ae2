import { choice, noul, score } from '../../lib/library'
import { createResponseBody } from './scripted-service'

/** A question of each type. `noul` creates a yes/no question. */
export const questions = {
  billing: noul('Is this about a bill?', { true: 'money is named' }),
  tone: choice('What is the tone?', ['calm', 'angry']),
  urgency: score('How urgent?', ['not at all', 'somewhat', 'very']),
}

/** Answers to these questions, as the service returns them. */
export const answers = {
  billing: { type: 'noul', noul: 0.97 },
  tone: {
    type: 'choice',
    choice: 'angry',
    confidence: 0.6,
    probabilities: { calm: 0.2, angry: 0.8 },
  },
  urgency: {
    type: 'score',
    score: 1.4,
    confidence: 0.5,
    legend: { 0: 'not at all', 1: 'somewhat', 2: 'very' },
    probabilities: { 0: 0.1, 1: 0.4, 2: 0.5 },
  },
}

/** A reply with these answers. */
export const answeredReply = { body: createResponseBody(answers) }
