import type { CheckedQuestion } from './engine'

/**
 * An upper bound, in bytes of JSON, for the answers to these questions. An answer repeats each label twice and
 * each level once, so the answer to a 16 MiB document could be several times as large. D68
 */
export const answerBytes = (
  questions: ReadonlyArray<readonly [id: string, question: CheckedQuestion]>,
): number => questions.reduce((sum, [id, question]) => sum + textBytes(id) + oneAnswer(question), 0)

/** Bytes of an answer's fixed parts, with the longest number that four decimal places allow. */
const frame = {
  noul: ':{"type":"noul","noul":0.1234},'.length,
  choice: ':{"type":"choice","choice":,"confidence":0.1234,"probabilities":{}},'.length,
  score: ':{"type":"score","score":1.1234,"confidence":0.1234,"legend":{},"probabilities":{}},'
    .length,
  label: ':0.1234,'.length,
  level: '"0":,"0":0.1234,'.length,
}

const oneAnswer = (question: CheckedQuestion): number => {
  switch (question.type) {
    case 'noul':
      return frame.noul
    case 'choice': {
      const labels = question.criteria.map(([label]) => textBytes(label))
      return labels.reduce(
        (sum, bytes) => sum + bytes + frame.label,
        frame.choice + Math.max(...labels),
      )
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
