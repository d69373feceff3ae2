import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import { decodeAnyModelList } from '../../codec/models'
import type { Noul, RequestQuestion } from '../../codec/question'
import { contentTextIn, encodeDocument } from './contents'
import { decodeDecisionsResponse } from './decisions-answers'
import { type Dialect, decisionsRoute } from './dialect'
import { decodeFailure } from './failures'

/** Writes a question, with its id as its name. */
const writeQuestion = ([name, question]: readonly [string, RequestQuestion]): Draft => {
  if (question.type === 'other') return question.raw
  const { type } = question
  const instructions = contentTextIn(question.instructions)
  switch (type) {
    case 'noul':
      return { type: 'predicate', name, instructions: foldCriteria(question) }
    case 'choice': {
      const choices = (question.criteria ?? []).map(([value, description]) => ({
        value,
        description: description === null ? undefined : plainText(description),
      }))
      return { type, name, instructions, choices }
    }
    case 'score': {
      const levels = (question.criteria ?? []).map((level) => ({ label: plainText(level) }))
      return { type, name, instructions, levels }
    }
  }
}

/** The instructions of a yes/no question, followed by its criteria, for which this dialect has no field. */
const foldCriteria = ({ instructions, criteria }: Noul): Draft | undefined => {
  const lines = [
    ...(criteria?.true === undefined ? [] : [`Answer yes if: ${plainText(criteria.true)}`]),
    ...(criteria?.false === undefined ? [] : [`Answer no if: ${plainText(criteria.false)}`]),
  ]
  return instructions === undefined || lines.length === 0
    ? contentTextIn(instructions)
    : `${plainText(instructions)}\n\n${lines.join('\n')}`
}

/** Writes a state with images as one message: its text, then the name of each image before the image. */
const writeMessage = (state: string, images: ReadonlyArray<RequestImage>): Draft => [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: state },
      ...images.flatMap(({ name, format, base64 }) => [
        { type: 'input_text', text: name },
        { type: 'input_image', image_url: `data:${mediaTypeOf(format)};base64,${base64}` },
      ]),
    ],
  },
]

/** OpenAI's decisions. */
export const decisionsDialect: Dialect = {
  name: 'decisions',
  ...decisionsRoute,
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  defaultModel: undefined,
  encodeRequest: (asked) =>
    encodeDocument(asked, {
      createReviewQuestions: (questions) => questions.map(writeQuestion),
      writeImages: writeMessage,
    }),
  decodeResponse: decodeDecisionsResponse,
  decodeFailure: (reply, redact) => {
    const trouble = decodeFailure(reply, redact)
    return reply.status === 409 ? { mayRetry: true, ...trouble } : trouble
  },
  decodeModels: decodeAnyModelList,
}
