import * as E from 'fp-ts/Either'
import type { Draft } from '../../codec/json/draft'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionType } from '../../runs/policy/policy'
import { roundNumbers } from '../format-figures'
import { type LabelledRows, type LabelledRun, selectGroup } from '../rows/labelled-run'
import { countDraws } from '../statistics/bootstrap'
import { type BootstrapSettings, listNames, type QuestionFigures } from './figures'
import { encodeAgreement } from './label-agreement'
import { measureQuestion } from './measure-question'

/** The figures of `svc eval`. */
export interface Evaluation {
  readonly run: LabelledRun
  readonly bootstrap: BootstrapSettings
  readonly questions: ReadonlyMap<string, QuestionFigures>
  /** The figures by group and question, with `--by-group`. */
  readonly groups?: ReadonlyMap<string, ReadonlyMap<string, QuestionFigures>>
}

/** The maximum number of groups of `--by-group`. */
const maxGroups = 1000

/** Fails with a usage error if a run has too many groups for `--by-group`. */
export const checkGroupCount = ({ groups }: LabelledRun): E.Either<Failure, void> => {
  if (groups.length <= maxGroups) return E.right(undefined)
  const counts = `the run has ${groups.length} groups, and svc takes at most ${maxGroups}`
  return E.left(usage(`--by-group: ${counts}`))
}

/** Computes the figures of every question of a run. */
export const evaluateRun = (
  run: LabelledRun,
  { seed, byGroup }: { readonly seed: number; readonly byGroup: boolean },
): Evaluation => {
  const bootstrap = { draws: countDraws(run.labelledCount), seed }
  /** Measures the rows that `select` returns of each question. */
  const measureQuestions = (select: (rows: LabelledRows) => LabelledRows) => {
    const questions = new Map<string, QuestionFigures>()
    for (const [id, rows] of run.questions)
      questions.set(id, measureQuestion(select(rows), bootstrap))
    return questions
  }
  const questions = measureQuestions((rows) => rows)
  if (!byGroup) return { run, bootstrap, questions }
  const figuresOfGroups = run.groups.map(
    (name, group) => [name, measureQuestions((rows) => selectGroup(rows, group))] as const,
  )
  return { run, bootstrap, questions, groups: new Map(figuresOfGroups) }
}

/** Encodes the document of `svc eval`. */
export const encodeEvaluation = ({ run, bootstrap, questions, groups }: Evaluation): Draft =>
  roundNumbers({
    rows: run.rowCount,
    answered: run.answeredCount,
    labelled: run.labelledCount,
    refused: run.refusedCount === 0 ? undefined : run.refusedCount,
    bootstrap,
    questions: encodeQuestions(questions),
    groups:
      groups &&
      new Map(
        [...groups].map(([name, figures]) => [name, { questions: encodeQuestions(figures) }]),
      ),
  })

const encodeQuestions = (questions: ReadonlyMap<string, QuestionFigures>): Draft => {
  const encoded = new Map<string, Draft>()
  for (const [id, figures] of questions)
    encoded.set(id, {
      type: figures.type,
      n: figures.labelledRows,
      ...encodeEvidence(figures),
      ...figures.figures,
      baseline: figures.baseline,
      again: figures.agreement && encodeAgreement(figures.agreement),
      ...encodeLists(figures),
      intervals: figures.intervals,
      why: figures.reasons,
    })
  return encoded
}

/** Encodes the members about evidence. Leaves out `n_effective` if it equals `n`, `groups` without groups, and 0 refusals. */
const encodeEvidence = ({ labelledRows, rows, evidence }: QuestionFigures) => {
  const { effectiveRows, groupCount } = evidence
  // The tolerance is for rounding errors.
  const differs = Math.abs(effectiveRows - labelledRows) > 1e-9 * labelledRows
  return {
    n_effective: differs ? effectiveRows : undefined,
    groups: groupCount,
    refused: rows.refusalCount === 0 ? undefined : rows.refusalCount,
  }
}

/** Encodes the lists that the question type has. A list can be null. */
const encodeLists = (figures: QuestionFigures): Readonly<Record<string, Draft>> => {
  const lists: Readonly<Record<(typeof listNames)[QuestionType][number], Draft>> = {
    calibration_curve: figures.calibrationCurve,
    sweep: figures.sweep,
    per_class:
      figures.perClass &&
      new Map(figures.perClass.map(({ label, ...classFigures }) => [label, classFigures])),
    confusion_matrix: figures.confusionMatrix,
    risk_coverage: figures.riskCoverage,
  }
  return Object.fromEntries(listNames[figures.type].map((name) => [name, lists[name]]))
}
