import * as E from 'fp-ts/Either'
import { formatCsvLine } from '../runs/tables/guards'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files, LockedFile } from '../runtime/runtime'
import { changeRow, type EditableTable, getRow } from './editable-table'
import {
  cannotTell,
  createEntries,
  isDone,
  type LabelCells,
  type LabelEntry,
  type LabelStep,
  listSteps,
  readCellLabel,
} from './label-steps'
import type { OpenedTable } from './open-table'
import { describeRow } from './page-content'
import type {
  AnswerMessage,
  FinishMessage,
  LabelProgress,
  LabelScreen,
  OpenedPage,
  PageAnswer,
  PageQuestion,
  RefusalMessage,
  UndoMessage,
} from './protocol'

export interface AnswerWriterOptions {
  readonly questions: ReadonlyArray<PageQuestion>
  /** The seed for the order of the rows. */
  readonly seed: number
  /** The number of rows that are shown a second time. */
  readonly repeatedRowCount: number
}

/** An answer that can be undone. */
interface WrittenAnswer {
  readonly step: LabelStep
  readonly cellsBefore: LabelCells
  readonly wasSkipped: boolean
}

const otherTabRefusal: RefusalMessage = {
  refusal: 'other tab',
  message: 'This table was opened in another tab, which goes on from here.',
}

const fileChangedRefusal: RefusalMessage = {
  refusal: 'file changed',
  message: 'The table was changed by another program since svc read it. It was left as it is.',
}

/** An answer that is not in the file, because another program has changed the file. */
interface RefusedAnswer {
  readonly step: LabelStep
  /** The cells with the answer and its note. */
  readonly cells: LabelCells
}

/**
 * Writes the answers of one person to a table. The page shows one step at a time: a question about a row. Some rows are shown a second
 * time, to compare their two labels. Only the tab that was opened last may write.
 */
export class AnswerWriter {
  /** Resolves when the person has pressed done. */
  readonly finished: Promise<void>
  /** Resolves `finished`. The constructor replaces this placeholder. */
  private resolveFinished = (): void => undefined
  private readonly entries: ReadonlyArray<LabelEntry>
  private readonly steps: ReadonlyArray<LabelStep>
  /** The answers of this session that are in the file, in order. */
  private readonly writtenAnswers: WrittenAnswer[] = []
  private refusedAnswer: RefusedAnswer | undefined
  private table: EditableTable
  private fileExists: boolean
  /** The number of the tab that was opened last. */
  private writingTab = 0
  /** The last change that was requested. The next one waits for it. */
  private pendingChange: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly files: Pick<Files, 'readPart'>,
    private readonly file: Pick<LockedFile, 'replace'>,
    private readonly openedTable: OpenedTable,
    private readonly options: AnswerWriterOptions,
  ) {
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve
    })
    this.table = openedTable.table
    this.fileExists = openedTable.exists
    const entriesByRow = createEntries(openedTable.table, options.questions)
    this.entries = entriesByRow.flat()
    this.steps = listSteps(entriesByRow, options.seed, options.repeatedRowCount)
  }

  /** Opens a tab, which takes over from the tab before it. */
  open(): OpenedPage {
    this.writingTab += 1
    return {
      tab: this.writingTab,
      hasTakenOver: this.writingTab > 1,
      table: this.openedTable.path,
      ...this.describeScreen(),
    }
  }

  /** Writes an answer to the file. If that fails, nothing changes. */
  answer(message: AnswerMessage): Promise<LabelScreen | RefusalMessage> {
    return this.runInTurn(message.tab, () => this.writeAnswer(message))
  }

  /** Takes the last answer out of the file. If that fails, nothing changes. */
  undo({ tab, done }: UndoMessage): Promise<LabelScreen | RefusalMessage> {
    return this.runInTurn(tab, () => this.undoAnswer(done))
  }

  /** Ends the session: `finished` resolves. */
  finish({ tab }: FinishMessage): Promise<LabelScreen | RefusalMessage> {
    return this.runInTurn(tab, async () => {
      this.resolveFinished()
      return undefined
    })
  }

  countProgress(): LabelProgress {
    let done = 0
    let skipped = 0
    for (const step of this.steps) {
      if (isDone(step)) done++
      if (step.isSkipped) skipped++
    }
    return { ...countLabels(this.entries), skipped, done, steps: this.steps.length }
  }

  /** Formats all answers of this session as CSV, for a person whose table was changed by another program. */
  formatAnswers(): string {
    const answers = this.writtenAnswers.map(({ step }) => ({ step, cells: step.entry.cells }))
    const allAnswers = this.refusedAnswer ? [...answers, this.refusedAnswer] : answers
    const records = allAnswers.map(({ step: { entry, isSecondShowing }, cells }) => {
      const { question } = entry
      const values = getRow(this.table, entry.row)
      const label = isSecondShowing ? cells.again : cells.label
      // A table may lack one of the columns `index` and `id`. Its cells are then empty.
      return [values.get('index') ?? '', values.get('id') ?? '', question.id, label, cells.note]
    })
    return [['index', 'id', 'question', 'label', 'note'], ...records].map(formatCsvLine).join('')
  }

  /** Runs one change at a time, and only for the tab that was opened last. */
  private runInTurn(
    tab: number,
    change: () => Promise<RefusalMessage | undefined>,
  ): Promise<LabelScreen | RefusalMessage> {
    const result = this.pendingChange.then(async () => {
      if (tab !== this.writingTab) return otherTabRefusal
      return (await change()) ?? this.describeScreen()
    })
    // A change that throws must not stop the next one.
    this.pendingChange = result.catch(() => undefined)
    return result
  }

  private async writeAnswer(message: AnswerMessage): Promise<RefusalMessage | undefined> {
    const step = this.steps[message.stepIndex]
    if (step === undefined) return refuseBadRequest(`There is no step ${message.stepIndex}.`)
    const { entry } = step
    const { answer } = message
    if (answer.kind === 'label' && !hasOption(entry.question, answer.value))
      return refuseBadRequest(
        `${JSON.stringify(answer.value)} is no answer to ${entry.question.id}.`,
      )
    const cells = applyAnswer(step, answer, message.note)
    // The page sends an answer again if it did not get the response to the first one.
    const isResent =
      this.writtenAnswers.at(-1)?.step === step && listChanges(entry, cells).size === 0
    if (isResent) return undefined
    const writtenAnswer = { step, cellsBefore: entry.cells, wasSkipped: step.isSkipped }
    const refusal = await this.save(entry, cells)
    this.refusedAnswer = refusal === fileChangedRefusal ? { step, cells } : undefined
    if (refusal !== undefined) return refusal
    this.writtenAnswers.push(writtenAnswer)
    step.isSkipped = answer.kind !== 'label'
    return undefined
  }

  private async undoAnswer(doneOnPage: number): Promise<RefusalMessage | undefined> {
    // The page sends an undo again if it did not get the response to the first one. It then still shows the old count.
    if (doneOnPage !== this.countProgress().done) return undefined
    const lastAnswer = this.writtenAnswers.at(-1)
    if (lastAnswer === undefined) return refuseBadRequest('There is nothing to undo.')
    const refusal = await this.save(lastAnswer.step.entry, lastAnswer.cellsBefore)
    if (refusal !== undefined) return refusal
    this.writtenAnswers.pop()
    lastAnswer.step.isSkipped = lastAnswer.wasSkipped
    return undefined
  }

  /** Writes the cells of an entry to the file, and then to memory. */
  private async save(entry: LabelEntry, cells: LabelCells): Promise<RefusalMessage | undefined> {
    if (!(await this.isFileUnchanged())) return fileChangedRefusal
    const changedTable = changeRow(this.table, entry.row, listChanges(entry, cells))
    if (E.isLeft(changedTable)) return refuseWriting(changedTable.left)
    try {
      await this.file.replace(changedTable.right.bytes)
    } catch (error) {
      return refuseWriting(reasonOf(error))
    }
    this.table = changedTable.right
    this.fileExists = true
    entry.cells = cells
    return undefined
  }

  /** Compares the file with the table in memory. A file that is not created yet must still be absent. */
  private async isFileUnchanged(): Promise<boolean> {
    try {
      const { bytes } = this.table
      // One byte more than expected, to notice that the file grew.
      const bytesOnDisk = await this.files.readPart(this.openedTable.path, 0, bytes.length + 1)
      return this.fileExists && bytes.equals(bytesOnDisk)
    } catch (error) {
      return !this.fileExists && codeOf(error) === 'ENOENT'
    }
  }

  /** Describes the next step that is not done. Leaves out a second showing without a first label to compare it with. */
  private describeScreen(): LabelScreen {
    const progress = this.countProgress()
    const stepIndex = this.steps.findIndex(
      (step) => !isDone(step) && (!step.isSecondShowing || step.entry.cells.label !== ''),
    )
    // `undefined` if the index is -1.
    const step = this.steps[stepIndex]
    if (step === undefined) return { progress, step: null }
    const { entry, isSecondShowing } = step
    const fields = describeRow(getRow(this.table, entry.row), this.options.questions)
    return {
      progress,
      step: { index: stepIndex, question: entry.question, isSecondShowing, fields },
    }
  }
}

const refuseWriting = (reason: string): RefusalMessage => ({
  refusal: 'not written',
  message: `The table cannot be written: ${reason}.`,
})

const refuseBadRequest = (message: string): RefusalMessage => ({ refusal: 'bad request', message })

const hasOption = ({ options }: PageQuestion, value: string): boolean =>
  options.some((option) => option.value === value)

/** Returns the cells of a step after an answer. An empty `note` keeps the note that the row has. */
const applyAnswer = (
  { entry, isSecondShowing }: LabelStep,
  answer: PageAnswer,
  note: string,
): LabelCells => {
  const withNote = { ...entry.cells, note: note || entry.cells.note }
  if (answer.kind === 'cannot tell') return { ...withNote, note: addCannotTell(withNote.note) }
  if (answer.kind === 'skip') return withNote
  return isSecondShowing
    ? { ...withNote, again: answer.value }
    : { ...withNote, label: answer.value }
}

/** Begins a note with `cannot tell`, such as `cannot tell: torn`. */
const addCannotTell = (note: string): string => {
  if (note.startsWith(cannotTell)) return note
  return note === '' ? cannotTell : `${cannotTell}: ${note}`
}

/** Lists the columns whose value changes, with the new values. */
const listChanges = (entry: LabelEntry, cells: LabelCells): ReadonlyMap<string, string> => {
  const changes = new Map<string, string>()
  for (const name of ['label', 'again', 'note'] as const)
    if (cells[name] !== entry.cells[name]) changes.set(`${entry.question.id}.${name}`, cells[name])
  return changes
}

/** Counts the labels, the cells without one, and how often a second label agrees with the first one. */
const countLabels = (entries: ReadonlyArray<LabelEntry>) => {
  let labelled = 0
  let secondLabelCount = 0
  let agreements = 0
  for (const { question, cells } of entries) {
    if (cells.label !== '') labelled++
    if (cells.again === '') continue
    secondLabelCount++
    if (isSameLabel(question, cells.again, cells.label)) agreements++
  }
  // `again` is the name of second labels in the protocol and in the table.
  const again = secondLabelCount === 0 ? null : { n: secondLabelCount, agree: agreements }
  return { labelled, left: entries.length - labelled, again }
}

/** Returns `true` if two cells have the same label. A spreadsheet may have rewritten one: `TRUE` is `yes`, and `2.0` is `2`. */
const isSameLabel = (question: PageQuestion, first: string, second: string): boolean => {
  const [firstLabel, secondLabel] = [first, second].map((cell) =>
    readCellLabel(cell, question.id, question),
  )
  if (firstLabel === undefined || secondLabel === undefined) return false
  // Cells that are no labels were refused when the table was opened.
  return E.isRight(firstLabel) && E.isRight(secondLabel) && firstLabel.right === secondLabel.right
}
