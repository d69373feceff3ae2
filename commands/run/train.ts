import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import type { AskRequest } from '../../lib/codec/request'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import {
  checkOutputs,
  checkOverwrite,
  listNamedFiles,
  runFileOperation,
} from '../../lib/failure/named-files'
import { type LabelFile, readLabelFile } from '../../lib/measure/labels/label-file'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { checkLabelled, type LabelledRun } from '../../lib/measure/rows/labelled-run'
import { readLabelled } from '../../lib/measure/rows/read-labelled-run'
import { weightedMean } from '../../lib/measure/statistics/numbers'
import { encodeModel } from '../../lib/measure/train/model-file'
import { TextStore } from '../../lib/measure/train/text-store'
import { type Training, trainQuestions } from '../../lib/measure/train/train-questions'
import {
  describeRareLabels,
  encodeTraining,
  type TrainingReport,
  tabulateTraining,
} from '../../lib/measure/train/training-document'
import { measureTraining } from '../../lib/measure/train/training-figures'
import {
  maxTrainingRows,
  TrainingRowCollector,
  type TrainingSource,
} from '../../lib/measure/train/training-rows'
import { digestQuestions } from '../../lib/runs/record/record'
import { checkRowOptions, type RowOptions } from '../../lib/runs/rows/form'
import { nodeFiles } from '../../lib/runtime/node/files'
import { loadVectorTable, tableName } from '../../lib/service/engines/embedded/vector-table'
import { encodeHeldOutRun } from '../../lib/service/engines/own/held-out-run'
import { nameOwnModel } from '../../lib/service/engines/own/open-own'
import {
  createRecordTextReader,
  readTextsOfRows,
} from '../../lib/service/engines/own/training-texts'
import { sanitize } from '../../lib/text/sanitize'
import { parseInputSource } from '../request/read-input'
import { readTemplateFile } from '../request/read-questions'

/** The options of `svc train`. */
interface TrainOptions extends LabelFlags, RowOptions {
  readonly from: TrainingSource | undefined
  /** The path of the questions. */
  readonly file: string | undefined
  readonly output: string | undefined
  readonly 'out-of-fold': string | undefined
  readonly overwrite: boolean
  readonly seed: number
  readonly table: boolean
}

type TrainContext = ContextWith<TrainOptions>

/**
 * Runs `svc train`: makes a small model from the labels or answers of a run, and measures it. A run is the file of records that
 * `svc batch` wrote, one for each row.
 */
export const runTrain = async (context: TrainContext): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  const output = await checkFlagsAndFiles(context)
  if (E.isLeft(output)) return output
  const questions = await readQuestions(context)
  if (E.isLeft(questions)) return questions
  const labels = await readLabelFile(runtime, flags)
  if (E.isLeft(labels)) return labels
  const rows = await readTrainingRows(context, labels.right)
  if (E.isLeft(rows)) return rows
  const questionsSha256 = checkQuestions(rows.right.run, questions.right)
  if (E.isLeft(questionsSha256)) return questionsSha256
  const training = await train(context, rows.right, questions.right, questionsSha256.right)
  if (E.isLeft(training)) return training
  const usable = checkTrained(training.right, questions.right)
  if (E.isLeft(usable)) return usable
  const file = encodeModel(training.right.model, tableName)
  const report = createReport(rows.right, training.right, nameOwnModel(file))
  await reportToStderr(context, rows.right, report)
  const written = await writeFiles(context, output.right, file, () =>
    encodeHeldOutRun(report.model, rows.right, training.right, questionsSha256.right),
  )
  if (E.isLeft(written)) return written
  return E.right({
    stdout: flags.table ? tabulateTraining(report) : { document: encodeTraining(report) },
  })
}

/**
 * Returns the path of the model. Fails if flags do not fit together, or if an output cannot be written, would replace an input, or is
 * not empty without `--overwrite`.
 */
const checkFlagsAndFiles = async ({
  runtime,
  flags,
}: TrainContext): Promise<E.Either<Failure, string>> => {
  const { output, overwrite } = flags
  if (output === undefined) return E.left(usage('-o is required: the file for the model'))
  const rowFault = checkRowOptions(flags)
  if (rowFault !== undefined) return E.left(rowFault)
  const inputs = [flags.input, flags.labels, flags.rows, flags.file]
  if (inputs.filter((path) => path === '-').length > 1)
    return E.left(usage('only one input can be read from stdin'))
  const filesRead = listNamedFiles(flags, 'input', 'labels', 'rows', 'file')
  const filesWritten = listNamedFiles(flags, 'output', 'out-of-fold')
  const writable = await checkOutputs(runtime.files, filesRead, filesWritten, 'model')()
  if (E.isLeft(writable)) return writable
  for (const { path } of filesWritten) {
    const replaceable = await checkOverwrite(runtime.files, { output: path, overwrite })()
    if (E.isLeft(replaceable)) return replaceable
  }
  return E.right(output)
}

/** Reads the questions of `--file`; `undefined` without it. */
const readQuestions = async ({
  runtime,
  flags,
}: TrainContext): Promise<E.Either<Failure, AskRequest['questions'] | undefined>> => {
  if (flags.file === undefined) return E.right(undefined)
  const template = await readTemplateFile(parseInputSource(flags.file), runtime, {
    flag: '--file',
    stateSource: 'the rows',
  })
  return E.isLeft(template) ? template : E.right(template.right.questions)
}

/** The rows to train on, with the run that they come from. */
export interface TrainingInput extends ReturnType<TrainingRowCollector['finish']> {
  readonly run: LabelledRun
  readonly store: TextStore
}

/** Reads the run, its labels and its texts. Fails if there are no answers, or no labels to learn from. */
const readTrainingRows = async (
  { runtime, flags }: TrainContext,
  labels: LabelFile | undefined,
): Promise<E.Either<Failure, TrainingInput>> => {
  const store = new TextStore()
  const table = await loadVectorTable(nodeFiles)
  const readText = flags.rows === undefined ? createRecordTextReader(table, store) : undefined
  const from = flags.from ?? (labels === undefined ? undefined : 'labels')
  const collector = new TrainingRowCollector({ from, seed: flags.seed, readText })
  const read = await readLabelled(runtime, flags.input, labels, {
    visit: (labelled) => collector.add(labelled),
  })
  if (E.isLeft(read)) return read
  const { run } = read.right
  const collected = collector.finish()
  const needsLabels = collected.from === 'labels'
  const checked = checkLabelled('train', needsLabels ? run : { ...run, labelledCount: 1 })
  if (E.isLeft(checked)) return checked
  const texts = await readTextsOfRows(runtime, flags, collected.rows, table, store)
  return E.isLeft(texts) ? texts : E.right({ ...collected, run, store })
}

/** Returns the digest of the run's questions. Fails if there is not exactly one, or if `--file` has other questions. */
const checkQuestions = (
  { questionsSha256 }: LabelledRun,
  questions: AskRequest['questions'] | undefined,
): E.Either<Failure, string> => {
  const [digest, ...others] = questionsSha256
  if (digest === undefined)
    return E.left(usage('train: the run has no "questions_sha256"; ask with svc batch'))
  if (others.length > 0)
    return E.left(usage('train: the run has answers to several sets of questions'))
  return questions === undefined || digestQuestions(questions) === digest
    ? E.right(digest)
    : E.left(usage('train: --file has other questions than the run'))
}

/** Fits the models. Fails if the command is interrupted. */
const train = async (
  { runtime, flags }: TrainContext,
  { run, rows, from, store }: TrainingInput,
  questions: AskRequest['questions'] = [],
  questionsSha256: string,
): Promise<E.Either<Failure, Training>> => {
  const sha256OfQuestion = new Map(
    questions.map((entry) => [entry[0], digestQuestions([entry])] as const),
  )
  const plan = {
    rows,
    from,
    questions: run.questions,
    questionsSha256,
    sha256OfQuestion,
    seed: flags.seed,
  }
  const steps = trainQuestions(plan, store)
  for (;;) {
    const step = steps.next()
    if (step.done) return E.right(step.value)
    // A signal is only noticed in a turn of the event loop.
    await setImmediate()
    if (runtime.signal.aborted) return E.left(interrupted)
  }
}

/** Fails if no question got a model, or if one did not and the others cannot be asked without it. */
const checkTrained = (
  { trained, leftOut }: Training,
  questions: AskRequest['questions'] | undefined,
): E.Either<Failure, void> => {
  const [first] = leftOut
  if (first === undefined || (trained.size > 0 && questions !== undefined))
    return E.right(undefined)
  const reasons = leftOut.map(({ id, whyLeftOut }) => `${id}: ${whyLeftOut}`).join('; ')
  return trained.size === 0
    ? E.left(usage(`train: no question can be trained: ${reasons}`))
    : E.left(
        usage(`train: ${reasons}; pass the questions with -f to leave out those without a model`),
      )
}

const createReport = (
  { run, rows, from }: TrainingInput,
  { trained, leftOut }: Training,
  model: string,
): TrainingReport => ({
  model,
  refusedCount: run.refusedCount,
  failedCount: run.rowCount - run.answeredCount,
  measured: [...trained].map(([id, question]) => {
    const labelled = run.questions.get(id)
    const isTeacherKnown = from === 'answers' && labelled !== undefined && labelled.right.length > 0
    return {
      ...question,
      figures: measureTraining(question, rows),
      teacherAccuracy: isTeacherKnown ? weightedMean(labelled.right, labelled.weights) : undefined,
    }
  }),
  leftOut,
})

/** Writes to stderr which rows, questions and labels were left out. */
const reportToStderr = async (
  { runtime }: TrainContext,
  { candidateCount }: TrainingInput,
  { measured, leftOut }: TrainingReport,
): Promise<void> => {
  const lines: string[] = []
  if (candidateCount > maxTrainingRows)
    lines.push(`${maxTrainingRows} of ${candidateCount} rows were drawn to train on`)
  for (const { id, whyLeftOut } of leftOut) lines.push(`${id}: no model: ${whyLeftOut}`)
  for (const { targets } of measured) {
    const rare = describeRareLabels(targets)
    if (rare !== undefined) lines.push(`${targets.id}: ${rare}`)
  }
  for (const line of lines) await runtime.stderr.write(`train: ${sanitize(line)}\n`)
}

/** Writes the model, and the run of `--out-of-fold`. */
const writeFiles = async (
  { runtime, flags }: TrainContext,
  output: string,
  file: Buffer,
  encodeRun: () => Buffer,
): Promise<E.Either<Failure, void>> => {
  const { 'out-of-fold': runPath } = flags
  const written = await runFileOperation(`write model ${output}`, () =>
    runtime.files.replace(output, file),
  )()
  if (E.isLeft(written) || runPath === undefined) return written
  return runFileOperation(`write run ${runPath}`, () =>
    runtime.files.replace(runPath, encodeRun()),
  )()
}
