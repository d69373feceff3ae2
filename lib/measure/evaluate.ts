import { type Draft, Entries } from '../json/draft'
import type { QuestionType } from '../policy/policy'
import { drawsFor, type Figures } from '../statistics/bootstrap'
import { choiceFigures } from './choice-figures'
import { type Draws, listNames, partly, type QuestionFigures } from './figures'
import { type LabelledRows, type LabelledRun, ofGroup } from './labelled'
import { noulFigures } from './noul-figures'
import { rounded } from './rounded'
import { scoreFigures } from './score-figures'

/** All figures of `svc eval`. R18 */
export interface Evaluation {
  readonly run: LabelledRun
  readonly draws: Draws
  readonly questions: ReadonlyMap<string, QuestionFigures>
  /** Present with `--by-group`. */
  readonly groups?: ReadonlyMap<string, ReadonlyMap<string, QuestionFigures>>
}

/** The options of `svc eval`. */
interface EvaluateOptions {
  readonly seed: number
  readonly byGroup: boolean
}

/** Computes the figures of every question of a run. R18, R19 */
export const evaluate = (run: LabelledRun, { seed, byGroup }: EvaluateOptions): Evaluation => {
  const draws = { draws: drawsFor(run.labelled), seed }
  const measured = (of: (rows: LabelledRows) => LabelledRows) =>
    new Map([...run.questions].map(([id, rows]) => [id, figuresOf(of(rows), draws)] as const))
  const questions = measured((rows) => rows)
  if (!byGroup) return { run, draws, questions }
  const groups = new Map(
    run.groups.map((name, group) => [name, measured((rows) => ofGroup(rows, group))] as const),
  )
  return { run, draws, questions, groups }
}

const figuresOf = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  if (rows.truth.length === 0) {
    const figures: Figures = rows.type === 'noul' ? { positives: 0 } : {}
    return partly(rows, { figures, intervals: {} }, 'no labelled rows')
  }
  switch (rows.type) {
    case 'noul':
      return noulFigures(rows, draws)
    case 'choice':
      return choiceFigures(rows, draws)
    case 'score':
      return scoreFigures(rows, draws)
  }
}

/** Writes the document of `svc eval`. R18 */
export const evaluationDocument = ({ run, draws, questions, groups }: Evaluation): Draft =>
  rounded({
    rows: run.rows,
    answered: run.answered,
    labelled: run.labelled,
    bootstrap: draws,
    questions: documentOf(questions),
    groups:
      groups &&
      new Entries(
        [...groups].map(([name, figures]) => [name, { questions: documentOf(figures) }] as const),
      ),
  })

const documentOf = (questions: ReadonlyMap<string, QuestionFigures>): Draft =>
  new Entries(
    [...questions].map(([id, figures]) => [
      id,
      {
        type: figures.type,
        n: figures.n,
        ...figures.figures,
        baseline: figures.baseline,
        ...listsOf(figures),
        intervals: figures.intervals,
        why: figures.why,
      },
    ]),
  )

const listsOf = (figures: QuestionFigures): Readonly<Record<string, Draft>> => {
  const lists: Readonly<Record<(typeof listNames)[QuestionType][number], Draft>> = {
    calibration_curve: figures.curve,
    sweep: figures.sweep,
    per_class:
      figures.perClass &&
      new Entries(figures.perClass.map(({ label, ...one }) => [label, one] as const)),
    confusion_matrix: figures.confusion,
    risk_coverage: figures.risk,
  }
  return Object.fromEntries(listNames[figures.type].map((name) => [name, lists[name]]))
}
