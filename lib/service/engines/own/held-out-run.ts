import { type Draft, encode } from '../../../codec/json/draft'
import { type JsonValue, Literal, memberIn } from '../../../codec/json/json'
import type { TrainedQuestion, Training } from '../../../measure/train/train-questions'
import type { TrainingRowCollector } from '../../../measure/train/training-rows'
import type { Label } from '../../../runs/record/decode'
import type { Distribution, EngineQuestion } from '../../contract/engine'
import { deriveAnswer } from '../../http/derive-answer'

/** The rows that were trained on, and the texts of the levels of scores by question. */
type CollectedRows = Pick<ReturnType<TrainingRowCollector['finish']>, 'rows' | 'legends'>

/**
 * Encodes a run with the answers of models that have not seen the rows that they answer. Everything else in the records is that of the
 * run, besides the name of the model.
 */
export const encodeHeldOutRun = (
  model: string,
  { rows, legends }: CollectedRows,
  { trained }: Training,
  questionsSha256: string,
): Buffer => {
  const lines = rows.map((row, i) => {
    const answers = [...trained].map(
      ([id, question]) => [id, createAnswer(question, legends.get(id), i)] as const,
    )
    return encode({
      index: row.index,
      id: row.id,
      group: row.group,
      labels: row.labels.size === 0 ? undefined : new Map([...row.labels].map(encodeLabelMember)),
      p: row.p,
      state_sha256: row.stateSha256,
      questions_sha256: questionsSha256,
      model,
      answers: new Map<string, Draft>(answers),
      usage: { input_tokens: null, output_tokens: null },
    })
  })
  return Buffer.concat(lines.flatMap((line) => [line, newline]))
}

const newline = Buffer.from('\n')

const encodeLabelMember = ([id, label]: readonly [string, Label]) =>
  [id, typeof label === 'number' ? new Literal(String(label)) : label] as const

/** Creates the answer for a row, as the service would give it. */
const createAnswer = (
  { targets, predictHeldOut }: TrainedQuestion,
  legend: JsonValue | undefined,
  row: number,
): Draft => {
  const { type, labels } = targets
  const probabilities = [...predictHeldOut(row)]
  const distribution: Distribution =
    type === 'noul' ? { type, yes: probabilities[1] ?? 0 } : { type, probabilities }
  // The probabilities always fit the question, which is made of the labels that they are for.
  return deriveAnswer(createQuestion(type, labels, legend), distribution) ?? null
}

/** Creates a question with the labels of a model, whose texts do not matter for the answer. */
const createQuestion = (
  type: EngineQuestion['type'],
  labels: ReadonlyArray<string>,
  legend: JsonValue | undefined,
): EngineQuestion => {
  switch (type) {
    case 'noul':
      return { type }
    case 'choice':
      return { type, criteria: labels.map((label) => [label, null] as const) }
    case 'score':
      return { type, criteria: labels.map((level) => memberIn(legend, level) ?? level) }
  }
}
