import * as E from 'fp-ts/Either'
import { parseJson } from '../../../lib/codec/json/parse'
import { decodeTemplate } from '../../../lib/codec/request'
import { digestQuestions, digestValue } from '../../../lib/runs/record/record'
import { createChoice } from '../runs'
import { type Ticket, topics } from './tickets'

/** A document with the question for the topic of a ticket. */
export const topicQuestions = JSON.stringify({
  questions: {
    topic: {
      type: 'choice',
      instructions: 'What is the ticket about?',
      criteria: Object.fromEntries(topics.map((topic) => [topic, null])),
    },
  },
})

/** Computes the digest of a document's questions. */
export const digestOfDocument = (document: string): string => {
  const json = parseJson(Buffer.from(document))
  if (E.isLeft(json)) throw new Error(json.left.message)
  const template = decodeTemplate(json.right)
  if (E.isLeft(template)) throw new Error('the document is invalid')
  return digestQuestions(template.right.questions)
}

/** A ticket with the answer of a model, and perhaps with the label of a person. */
export interface AnsweredTicket extends Ticket {
  readonly answer: string
  readonly label?: string | undefined
  readonly group?: string | undefined
}

/** Formats a run about tickets, as `svc batch` writes it. The answers have a probability of 0.9. */
export const formatTicketRun = (
  tickets: ReadonlyArray<AnsweredTicket>,
  { withState = false } = {},
): string => {
  const questionsSha256 = digestOfDocument(topicQuestions)
  return tickets
    .map(({ text, answer, label, group }, index) => {
      const share = 0.1 / (topics.length - 1)
      const probabilities = Object.fromEntries(
        topics.map((topic) => [topic, topic === answer ? 0.9 : share]),
      )
      const record = {
        index,
        group,
        labels: label === undefined ? undefined : { topic: label },
        state: withState ? text : undefined,
        state_sha256: digestValue(text),
        questions_sha256: questionsSha256,
        model: 'teacher',
        answers: { topic: createChoice(probabilities) },
        usage: {},
      }
      return `${JSON.stringify(record)}\n`
    })
    .join('')
}

/** Formats tickets as a table with a column `text`, the input of the run. */
export const formatTicketTable = (tickets: ReadonlyArray<Ticket>): string =>
  `id,text\n${tickets.map(({ text }, i) => `t${i},${text}\n`).join('')}`
