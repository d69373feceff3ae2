import type { EngineQuestion, EngineRequest } from '../engines/engine'

/**
 * The most bytes that the answers to these questions can take as JSON. Labels stand in an answer twice and levels
 * once, so that a document of 16 MiB could ask for an answer of many times its size. D68
 */
export const answerBytes = ({ questions }: Pick<EngineRequest, 'questions'>): number =>
  questions.reduce((sum, [id, question]) => sum + textBytes(id) + oneAnswer(question), 0)

/** The answer without its texts, every number as long as four decimal places make it. */
const frame = {
  noul: ':{"type":"noul","noul":0.1234},'.length,
  choice: ':{"type":"choice","choice":,"confidence":0.1234,"probabilities":{}},'.length,
  score: ':{"type":"score","score":1.1234,"confidence":0.1234,"legend":{},"probabilities":{}},'
    .length,
  label: ':0.1234,'.length,
  level: '"0":,"0":0.1234,'.length,
}

const oneAnswer = (question: EngineQuestion): number => {
  switch (question.type) {
    case 'noul':
      return frame.noul
    case 'choice': {
      const labels = question.criteria.map(([label]) => textBytes(label))
      return labels.reduce((sum, bytes) => sum + bytes + frame.label, frame.choice + most(labels))
    }
    case 'score':
      return question.criteria.reduce(
        (sum, { start, end }) => sum + end - start + frame.level,
        frame.score,
      )
    case 'other':
      return 0
  }
}

const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

const most = (sizes: ReadonlyArray<number>): number => sizes.reduce((a, b) => Math.max(a, b), 0)
