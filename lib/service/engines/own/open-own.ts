import { hash } from 'node:crypto'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import { decodeModel, maxModelFileBytes } from '../../../measure/train/model-file'
import { createModelPredictor, type OwnModel } from '../../../measure/train/own-model'
import { reasonOf } from '../../../runtime/node/error-reason'
import { nodeFiles } from '../../../runtime/node/files'
import type { Files } from '../../../runtime/runtime'
import type {
  AnsweringEngine,
  Distribution,
  EngineAnswer,
  EngineQuestion,
} from '../../contract/engine'
import type { OpenEngine } from '../../contract/engine-settings'
import { runInTurns } from '../embedded/run-in-turns'
import { loadVectorTable, tableName, type VectorTable } from '../embedded/vector-table'
import { checkTrained, listQuestionLabels } from './find-questions'
import { readStateInSteps } from './read-state'

/** Opens the engine that answers with a model file of `svc train`. Fails with a usage error if the file cannot be used. */
export const openOwn: OpenEngine<AnsweringEngine> =
  ({ model: path }, { runtime, names }) =>
  async () => {
    const flag = names.nameOf('model')
    if (!path)
      return E.left(usage(`${names.choice} needs ${flag}: a model file that svc train wrote`))
    const bytes = await readModelFile(runtime.files, path)()
    if (E.isLeft(bytes)) return bytes
    const table = await loadVectorTable(nodeFiles)
    const facts = { name: tableName, dimensions: table.dimensions }
    const model = decodeModel(bytes.right, facts)
    return E.isLeft(model)
      ? E.left(usage(`read model: ${path}: ${model.left}`))
      : E.right(createOwnEngine(model.right, nameOwnModel(bytes.right), table))
  }

/** Reads a model file. Fails with a usage error if it cannot be read or is too large. */
const readModelFile =
  (files: Pick<Files, 'read'>, path: string): TE.TaskEither<Failure, Uint8Array> =>
  async () => {
    const fail = (reason: string) => E.left(usage(`read model: ${path}: ${reason}`))
    const bytes = await TE.tryCatch(() => files.read(path, maxModelFileBytes), reasonOf)()
    if (E.isLeft(bytes)) return fail(bytes.left)
    return bytes.right.length > maxModelFileBytes ? fail('the file is larger than 64 MiB') : bytes
  }

/** Returns the name of a model: `own-` and the first 12 digits of the SHA-256 of its file. */
export const nameOwnModel = (file: Uint8Array): string =>
  `own-${hash('sha256', file, 'hex').slice(0, 12)}`

const usageOfOwn: EngineAnswer['usage'] = { input_tokens: null, output_tokens: null }

const createOwnEngine = (model: OwnModel, name: string, table: VectorTable): AnsweringEngine => {
  const predict = createModelPredictor(model)
  return {
    kind: 'answering',
    name: 'own',
    takesOneRequest: true,
    model: {
      name,
      description: 'A model of your own, trained with svc train.',
      release_date: '2026-11-28T00:00:00+00:00',
    },
    answer:
      ({ state, questions }, { compute }) =>
      async () => {
        const checked = E.flatten(await compute(() => checkTrained(model, questions))())
        if (E.isLeft(checked)) return checked
        const text = await runInTurns(readStateInSteps(state, table), compute)
        if (E.isLeft(text)) return text
        const predicted = predict(
          text.right,
          questions.map(([id]) => id),
        )
        const answers = questions.map(([id, question], i) =>
          createDistribution(
            question,
            model.questions.get(id)?.labels ?? [],
            predicted[i] ?? new Float64Array(),
          ),
        )
        return E.right({ answers, usage: usageOfOwn })
      },
    close: async () => {},
  }
}

/** Orders the probabilities of a model's labels as the question lists them. A label that the model does not know has 0. */
const createDistribution = (
  question: EngineQuestion,
  labels: ReadonlyArray<string>,
  probabilities: Float64Array,
): Distribution => {
  if (question.type === 'noul') return { type: 'noul', yes: probabilities[1] ?? 0 }
  const ofLabel = new Map(labels.map((label, index) => [label, probabilities[index] ?? 0]))
  return {
    type: question.type,
    probabilities: listQuestionLabels(question).map((label) => ofLabel.get(label) ?? 0),
  }
}
