import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { maxNameBytes } from '../../codec/fault'
import { type Draft, toJson } from '../../codec/json/draft'
import { memberIn, stringIn } from '../../codec/json/json'
import { decodeAndCheck } from '../../codec/request-faults'
import { cutTo } from '../../failure/text/cut'
import { questionsDialect } from './questions'
import type { DecodedRequest, ServedAnswers, ServedDialect } from './served'
import { systemoneDialect } from './systemone'

const writeResponse: DecodedRequest['encodeResponse'] = ({ model, answers, usage }) =>
  E.right({ model, answers: new Map<string, Draft>(answers), usage })

/** Reads a document of the specification, whose answers `write` writes. */
const readRequest =
  (write: DecodedRequest['encodeResponse']): ServedDialect['decodeRequest'] =>
  (document) =>
    pipe(
      decodeAndCheck(document),
      E.map((request) => ({ request, encodeResponse: write })),
    )

/** The dialect of the specification, as a service speaks it. */
export const servedQuestions: ServedDialect = {
  askPath: questionsDialect.askPath,
  requestIdHeader: questionsDialect.requestIdHeader,
  sameDocuments: ['questions', 'systemone'],
  stateMember: 'state',
  maxQuestions: 1000,
  matches: (document) => memberIn(document, 'state') !== undefined,
  decodeRequest: readRequest(writeResponse),
  findUnsupported: () => undefined,
  encodeFailure: ({ status, type, message, faults }) => ({
    status,
    body: { detail: faults?.map((fault) => ({ ...fault })) ?? { error_type: type, message } },
  }),
}

/**
 * System One, as a service speaks it: the same documents, but its clients know no refusal, and some, such as LiteLLM,
 * expect counts of tokens: 0 if the engine counts none.
 */
export const servedSystemone: ServedDialect = {
  ...servedQuestions,
  askPath: systemoneDialect.askPath,
  requestIdHeader: systemoneDialect.requestIdHeader,
  decodeRequest: readRequest((answered) => {
    const refused = findRefused(answered.answers)
    if (refused !== undefined) return E.left(refused)
    const { input_tokens, output_tokens } = answered.usage
    const usage = { input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0 }
    return writeResponse({ ...answered, usage })
  }),
  findUnsupported: (document) => {
    const answers = memberIn(document, 'answers')
    return !(answers instanceof Map) ? undefined : findRefused([...answers])
  },
}

/** Says which question was refused an answer; `undefined` if none was. */
const findRefused = (answers: ServedAnswers['answers']): string | undefined => {
  const refused = answers.find(
    ([, answer]) => stringIn(memberIn(toJson(answer), 'type')) === 'refusal',
  )
  return refused === undefined
    ? undefined
    : `no answer to the question ${JSON.stringify(cutTo(refused[0], maxNameBytes))}: it was refused`
}
