import type { QuestionType } from '../../runs/policy/policy'
import { createRandom } from '../../runtime/random'
import { assignFolds } from '../statistics/fits/choose'
import { countScores } from '../statistics/logistic/feature-table'
import type { Steps } from '../statistics/logistic/minimize'
import { fitModel } from './cross-validate'
import { createFoldUnits } from './fold-units'
import { limitTerms } from './model-file'
import { type OwnModel, type OwnQuestion, spreadOverLabels } from './own-model'
import { createTargets, type QuestionTargets } from './targets'
import type { TextStore } from './text-store'
import type { TrainingRow, TrainingSource } from './training-rows'

/** A question with its model and the predictions for rows that the model has not seen. */
export interface TrainedQuestion {
  readonly targets: QuestionTargets
  readonly model: OwnQuestion
  /** Returns the probability of each label for a row, by a model that has not seen the row. */
  readonly predictHeldOut: (row: number) => Float64Array
}

/** A model, and what it was trained on. */
export interface Training {
  readonly model: OwnModel
  readonly trained: ReadonlyMap<string, TrainedQuestion>
  /** The questions without a model. `whyLeftOut` says why. */
  readonly leftOut: ReadonlyArray<QuestionTargets>
}

/** The rows and questions to train on. */
export interface TrainingPlan {
  readonly rows: ReadonlyArray<TrainingRow>
  readonly from: TrainingSource
  /** The type and the labels of each question, from the run's answers. */
  readonly questions: ReadonlyMap<
    string,
    { readonly type: QuestionType; readonly labels: ReadonlyArray<string> }
  >
  readonly questionsSha256: string
  /** The digest of each question by itself, if the questions are known. */
  readonly sha256OfQuestion: ReadonlyMap<string, string>
  readonly seed: number
}

/**
 * Fits a model for each question that has enough rows. The texts of all rows must have been read. Yields after each step of a fit.
 */
export const trainQuestions = function* (plan: TrainingPlan, store: TextStore): Steps<Training> {
  const { rows, from, seed } = plan
  const units = createFoldUnits(rows)
  const foldOfRow = assignFolds(units, createRandom(seed))
  const all = [...plan.questions].map(([id, question]) =>
    checkFolds(createTargets(id, question, rows, from), foldOfRow),
  )
  const usable = all.filter(({ whyLeftOut }) => whyLeftOut === undefined)
  const leftOut = all.filter(({ whyLeftOut }) => whyLeftOut !== undefined)
  let scoreCount = 0
  for (const { classes } of usable) scoreCount += countScores({ classCount: classes.length })
  const texts = rows.map(({ text }) => text).filter((text) => text !== undefined)
  const { features, vocabulary } = store.finish(texts, limitTerms(scoreCount))
  const trained = new Map<string, TrainedQuestion>()
  for (const targets of usable) {
    const { id, type, labels, classes } = targets
    const fitted = yield* fitModel({ ...targets, features, classCount: classes.length }, foldOfRow)
    trained.set(id, {
      targets,
      model: {
        type,
        labels,
        classes,
        questionsSha256: plan.questionsSha256,
        sha256: plan.sha256OfQuestion.get(id),
        rows: targets.rows.length,
        from,
        strength: fitted.strength,
        temperature: fitted.temperature,
        weights: fitted.weights,
      },
      predictHeldOut: (row) =>
        spreadOverLabels(
          fitted.heldOut.subarray(row * classes.length, (row + 1) * classes.length),
          classes,
          labels.length,
        ),
    })
  }
  const questions = new Map([...trained].map(([id, { model }]) => [id, model]))
  return { model: { dimensions: features.dimensions, vocabulary, questions }, trained, leftOut }
}

/** Leaves a question out whose rows are all in one fold, because no row would be left to check its model. */
const checkFolds = (targets: QuestionTargets, foldOfRow: Uint8Array): QuestionTargets => {
  const folds = new Set(Array.from(targets.rows, (row) => foldOfRow[row]))
  return folds.size > 1 || targets.whyLeftOut !== undefined
    ? targets
    : { ...targets, whyLeftOut: 'all rows are of one group or have one text' }
}
