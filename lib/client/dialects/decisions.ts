import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import type { Noul, RequestQuestion } from '../../codec/question'
import { decodeAnyModelList } from '../../codec/response'
import { decodeDecisionsResponse } from './decode-decisions'
import { decodeCommonFailure } from './decode-failure'
import { type Dialect, decisionsRoute } from './dialect'
import { encodeDocument, formatContent } from './encode-document'

/** Encodes a question, with its id as its name. */
const encodeQuestion = ([name, question]: readonly [string, RequestQuestion]): Draft => {
  switch (question.type) {
    case 'noul':
      return { type: 'predicate', name, instructions: appendCriteria(question) }
    case 'choice': {
      const choices = (question.criteria ?? []).map(([value, description]) => ({
        value,
        description: description === null ? undefined : plainText(description),
      }))
      return { type: 'choice', name, instructions: formatContent(question.instructions), choices }
    }
    case 'score': {
      const levels = (question.criteria ?? []).map((level) => ({ label: plainText(level) }))
      return { type: 'score', name, instructions: formatContent(question.instructions), levels }
    }
    case 'other':
      // `encodeDocument` fails for a question of this type, so it is never sent.
      return question.raw
  }
}

/**
 * Appends the criteria of a yes/no question (type `noul`) to its instructions, because the dialect has no field for them.
 * `encodeDocument` has checked that there are instructions.
 */
const appendCriteria = ({ instructions, criteria }: Noul): Draft | undefined => {
  const text = formatContent(instructions)
  const criteriaLines: string[] = []
  if (criteria?.true !== undefined) criteriaLines.push(`Answer yes if: ${plainText(criteria.true)}`)
  if (criteria?.false !== undefined)
    criteriaLines.push(`Answer no if: ${plainText(criteria.false)}`)
  if (text === undefined || criteriaLines.length === 0) return text
  return `${text}\n\n${criteriaLines.join('\n')}`
}

/**
 * Encodes a state, the JSON that the questions are about, with its images as one message: the text of the state, then the name
 * of each image and the image.
 */
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
  encodeRequest: (modelRequest) =>
    encodeDocument(modelRequest, {
      encodeQuestions: (questions) => questions.map(encodeQuestion),
      encodeImages: encodeMessage,
    }),
  decodeResponse: decodeDecisionsResponse,
  decodeFailure: (response, redact) => {
    const details = decodeCommonFailure(response, redact)
    // OpenAI's own clients retry status 409.
    return response.status === 409 ? { ...details, mayRetry: details.mayRetry ?? true } : details
  },
  decodeModels: decodeAnyModelList,
}
