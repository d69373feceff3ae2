import { type EditedLabelTable, labelColumns } from './label-table'
import { readLabel } from './page-questions'
import type { Agreement, LabelProgress, PageAnswer, PageQuestion, PageStep } from './protocol'
import { cannotTell, type LabelStep } from './steps'

/** The cells that an answer changed, and their values before it. */
interface Change {
  readonly step: number
  readonly before: ReadonlyArray<readonly [column: string, value: string]>
  readonly wasPassed: boolean
}

/** One person's way through a table. It changes the table in memory and leaves writing the file to its caller. */
export interface LabelSession {
  readonly progress: () => LabelProgress
  readonly showStep: (step: number) => PageStep | undefined
  /**
   * Puts an answer into the table. Returns a function that takes it out again, or a sentence that says why the answer
   * does not fit.
   */
  readonly answer: (step: number, answer: PageAnswer, note: string) => (() => void) | string
  /** Takes the last answer out of the table. Returns its step, and a function that puts it back. */
  readonly undo: () => { readonly step: number; readonly redo: () => void } | undefined
  /** The steps that were answered since the start, in order. */
  readonly answered: () => ReadonlyArray<LabelStep>
}

/** The first of these many characters of a note are kept. */
const maxNoteLength = 2000

export const createLabelSession = (
  table: EditedLabelTable,
  questions: ReadonlyArray<PageQuestion>,
  steps: ReadonlyArray<LabelStep>,
): LabelSession => {
  /** The steps that the person skipped or could not tell. */
  const passed = new Set<number>()
  const history: Change[] = []

  const setPassed = (place: number, isPassed: boolean): void => {
    if (isPassed) passed.add(place)
    else passed.delete(place)
  }
  const columnOf = ({ question, isAgain }: LabelStep): string =>
    isAgain ? labelColumns(question).again : labelColumns(question).label
  const isDone = (step: LabelStep, place: number): boolean =>
    passed.has(place) || table.read(step.row, columnOf(step)) !== ''
  /** A second label needs a first one to compare it with. */
  const canBeShown = ({ row, question, isAgain }: LabelStep): boolean =>
    !isAgain || table.read(row, labelColumns(question).label) !== ''

  const findNext = (): number | null => {
    const next = steps.findIndex((step, place) => !isDone(step, place) && canBeShown(step))
    return next === -1 ? null : next
  }

  const change = (place: number, step: LabelStep, cells: ReadonlyArray<[string, string]>) => {
    const before = cells.map(([column]) => [column, table.read(step.row, column)] as const)
    for (const [column, value] of cells) table.write(step.row, column, value)
    history.push({ step: place, before, wasPassed: passed.has(place) })
  }

  const revert = (): Change | undefined => {
    const last = history.pop()
    if (last === undefined) return undefined
    const { row } = steps[last.step] as LabelStep
    for (const [column, value] of last.before) table.write(row, column, value)
    setPassed(last.step, last.wasPassed)
    return last
  }

  const cellsFor = (step: LabelStep, answer: PageAnswer, note: string): [string, string][] => {
    const column = labelColumns(step.question).note
    const before = table.read(step.row, column)
    const text = answer.kind === 'cannot tell' ? joinNote(cannotTell, note) : note
    const cells: [string, string][] =
      answer.kind === 'label' ? [[columnOf(step), answer.value]] : []
    return text === '' || text === before ? cells : [...cells, [column, text]]
  }

  return {
    progress: () => ({
      next: findNext(),
      ...countLabels(table, questions),
      skipped: passed.size,
      done: steps.filter(isDone).length,
      steps: steps.length,
      again: countAgreement(table, questions),
    }),
    showStep: (place) => {
      const step = steps[place]
      return (
        step && {
          step: place,
          question: step.question,
          isAgain: step.isAgain,
          fields: table.show(step.row),
        }
      )
    },
    answer: (place, answer, note) => {
      const step = steps[place]
      if (step === undefined) return `there is no step ${place}`
      const question = questions.find(({ id }) => id === step.question)
      if (answer.kind === 'label' && !question?.options.some(({ value }) => value === answer.value))
        return `${JSON.stringify(answer.value)} is no answer to ${step.question}`
      const cells = cellsFor(step, answer, note.slice(0, maxNoteLength))
      const isRepeated =
        history.at(-1)?.step === place &&
        cells.every(([column, value]) => table.read(step.row, column) === value)
      // The page sends an answer again if it did not hear that the first one was written.
      if (isRepeated) return () => undefined
      change(place, step, cells)
      setPassed(place, answer.kind !== 'label')
      return () => {
        revert()
      }
    },
    undo: () => {
      const last = history.at(-1)
      if (last === undefined) return undefined
      const { row } = steps[last.step] as LabelStep
      const after = last.before.map(([column]) => [column, table.read(row, column)] as const)
      const isPassed = passed.has(last.step)
      revert()
      return {
        step: last.step,
        redo: () => {
          for (const [column, value] of after) table.write(row, column, value)
          setPassed(last.step, isPassed)
          history.push(last)
        },
      }
    },
    answered: () => history.map(({ step }) => steps[step] as LabelStep),
  }
}

const joinNote = (start: string, note: string): string =>
  note === '' || note.startsWith(start) ? note || start : `${start}: ${note}`

const countLabels = (table: EditedLabelTable, questions: ReadonlyArray<PageQuestion>) => {
  let labelled = 0
  for (const { id } of questions) {
    const { label } = labelColumns(id)
    for (let row = 0; row < table.rows; row++) if (table.read(row, label) !== '') labelled++
  }
  return { labelled, left: table.rows * questions.length - labelled }
}

/**
 * Counts the cells that were labelled twice, and those that got the same label both times. Null if no cell was
 * labelled twice.
 */
const countAgreement = (
  table: EditedLabelTable,
  questions: ReadonlyArray<PageQuestion>,
): Agreement | null => {
  let n = 0
  let agree = 0
  for (const question of questions) {
    const { label, again } = labelColumns(question.id)
    for (let row = 0; row < table.rows; row++) {
      const second = table.read(row, again)
      if (second === '') continue
      n++
      if (readLabel(question, second) === readLabel(question, table.read(row, label))) agree++
    }
  }
  return n === 0 ? null : { n, agree }
}
