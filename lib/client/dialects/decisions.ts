import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import { decodeAnyModelList } from '../../codec/models'
import type { Noul, RequestQuestion } from '../../codec/question'
import { decodeDecisionsResponse } from './decode-decisions'
import { decodeFailure } from './decode-failure'
import { type Dialect, decisionsRoute } from './dialect'
import { encodeDocument, formatContent } from './encode-document'

/** Encodes a question, with its id as its name. */
const encodeQuestion = ([name, question]: readonly [string, RequestQuestion]): Draft => {
  if (question.type === 'other') return question.raw
  const { type } = question
  const instructions = formatContent(question.instructions)
  switch (type) {
    case 'noul':
      return { type: 'predicate', name, instructions: appendCriteria(question) }
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

/** Appends the criteria of a yes/no question to its instructions, because the dialect has no field for them. */
const appendCriteria = ({ instructions, criteria }: Noul): Draft | undefined => {
  const lines = [
    ...(criteria?.true === undefined ? [] : [`Answer yes if: ${plainText(criteria.true)}`]),
    ...(criteria?.false === undefined ? [] : [`Answer no if: ${plainText(criteria.false)}`]),
  ]
  return instructions === undefined || lines.length === 0
    ? formatContent(instructions)
    : `${plainText(instructions)}\n\n${lines.join('\n')}`
}

/** Encodes a state with images as one message: the text of the state, then the name of each image and the image. */
const encodeMessage = (stateText: string, images: ReadonlyArray<RequestImage>): Draft => [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: stateText },
      ...images.flatMap(({ name, format, base64 }) => [
        { type: 'input_text', text: name },
        { type: 'input_image', image_url: `data:${mediaTypeOf(format)};base64,${base64}` },
      ]),
    ],
  },
]

/** The dialect of OpenAI's decisions API. */
export const decisionsDialect: Dialect = {
  name: 'decisions',
  ...decisionsRoute,
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  defaultModel: undefined,
  encodeRequest: (asked) =>
    encodeDocument(asked, {
      encodeQuestions: (questions) => questions.map(encodeQuestion),
      encodeImages: encodeMessage,
    }),
  decodeResponse: decodeDecisionsResponse,
  decodeFailure: (response, redact) => {
    const details = decodeFailure(response, redact)
    // OpenAI's own clients retry status 409.
    return response.status === 409 ? { ...details, mayRetry: details.mayRetry ?? true } : details
  },
  decodeModels: decodeAnyModelList,
}
