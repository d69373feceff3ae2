import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../text/sanitize'
import { formatCount } from '../../text/table'
import { formatShare, formatShareRange, roundNumbers } from '../format-figures'
import type { QuestionTargets } from './targets'
import type { TrainedQuestion } from './train-questions'
import type { TrainingFigures } from './training-figures'

/** A question with its model and figures. */
export interface MeasuredQuestion extends TrainedQuestion {
  readonly figures: TrainingFigures
  /** The accuracy, by labels, of the answers that the model learned from; `undefined` without labels or answers. */
  readonly teacherAccuracy: number | undefined
}

/** The result of `svc train`. */
export interface TrainingReport {
  /** The name of the model: `own-` and the first digits of the digest of its file. */
  readonly model: string
  readonly refusedCount: number
  readonly failedCount: number
  readonly measured: ReadonlyArray<MeasuredQuestion>
  readonly leftOut: ReadonlyArray<QuestionTargets>
}

/** Encodes the document of `svc train`. */
export const encodeTraining = (report: TrainingReport): Draft =>
  roundNumbers({
    model: report.model,
    refused: report.refusedCount,
    failed: report.failedCount,
    questions: new Map([
      ...report.measured.map(
        (question) => [question.targets.id, encodeQuestion(question)] as const,
      ),
      ...report.leftOut.map(({ id, type, rows, whyLeftOut }) => {
        const left: Draft = { type, rows: rows.length, why: { model: whyLeftOut } }
        return [id, left] as const
      }),
    ]),
  })

const encodeQuestion = ({ targets, model, figures, teacherAccuracy }: MeasuredQuestion): Draft => {
  const reasons: Readonly<Record<string, string | undefined>> = {
    accuracy: figures.labelledRows === 0 ? 'no row has a label' : figures.noIntervalReason,
    labels: describeRareLabels(targets),
  }
  const why = Object.entries(reasons).filter(([, reason]) => reason !== undefined)
  return {
    type: targets.type,
    rows: model.rows,
    from: model.from,
    labelled: model.from === 'answers' ? figures.labelledRows : undefined,
    accuracy: figures.accuracy,
    log_loss: figures.logLoss,
    baseline: figures.baseline,
    agreement: figures.agreement,
    teacher_accuracy: teacherAccuracy,
    strength: model.strength,
    temperature: model.temperature,
    intervals: figures.accuracyInterval === undefined ? {} : { accuracy: figures.accuracyInterval },
    why: why.length === 0 ? undefined : Object.fromEntries(why),
  }
}

/** Names the labels that get no weights; `undefined` if all get some. */
export const describeRareLabels = ({ labels, classes }: QuestionTargets): string | undefined => {
  const rare = labels
    .filter((_, index) => !classes.includes(index))
    .map((label) => JSON.stringify(label))
  if (rare.length === 0) return undefined
  const verb = rare.length === 1 ? 'has' : 'have'
  return `${rare.join(', ')} ${verb} fewer than 5 rows: the probability is 0`
}

/** Formats the result for people, with a sentence or two for each question. */
export const tabulateTraining = ({ measured, leftOut }: TrainingReport): string =>
  [
    ...measured.map((question) => {
      const rare = describeRareLabels(question.targets)
      const sentences = [describeAccuracy(question), describeTeacher(question), rare && `${rare}.`]
      const text = sentences.filter((sentence) => sentence).join(' ')
      return sanitize(`${question.targets.id}: ${text}`)
    }),
    ...leftOut.map(({ id, whyLeftOut }) => sanitize(`${id}: no model: ${whyLeftOut}.`)),
  ].join('\n')

/** Describes how right the model is in rows that it has not seen. */
const describeAccuracy = ({ model, figures }: MeasuredQuestion): string => {
  const { accuracy, accuracyInterval, baseline, labelledRows, agreement } = figures
  const agreed =
    agreement === undefined
      ? ''
      : `Trained on ${formatCount(model.rows, 'answer')}, it agrees with them in ${formatShare(agreement)}.`
  if (accuracy === null || baseline === null)
    return `${agreed} No row has a label, so nobody knows how often it is right.`
  const range =
    accuracyInterval === undefined ? '' : ` (surely ${formatShareRange(accuracyInterval)})`
  const sentence = `By ${formatCount(labelledRows, 'label')} it is right in about ${formatShare(accuracy)}${range}; always ${JSON.stringify(baseline.label)} would be right in ${formatShare(baseline.accuracy)}.`
  return agreed === '' ? sentence : `${agreed} ${sentence}`
}

const describeTeacher = ({ teacherAccuracy }: MeasuredQuestion): string =>
  teacherAccuracy === undefined
    ? ''
    : `The answers that it learned from are right in ${formatShare(teacherAccuracy)}.`
