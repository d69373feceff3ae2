import * as E from 'fp-ts/Either'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files, LockedFile } from '../runtime/runtime'
import { type AnswerToDownload, formatAnswersAsCsv } from './answer-download'
import { changeRow, type EditableTable, getRow } from './editable-table'
import { applyAnswer, hasOption, listChanges } from './label-cells'
import { countLabelProgress, summarizeSession } from './label-counts'
import {
  createEntries,
  isDone,
  isOnlySkipped,
  type LabelCells,
  type LabelEntry,
  type LabelStep,
  listSteps,
  locateSteps,
} from './label-steps'
import type { OpenedTable } from './open-table'
import { describeRow } from './page-content'
import type {
  AnswerMessage,
  CheckedPage,
  LabelProgress,
  LabelScreen,
  OpenedPage,
  PageField,
  PagePosition,
  PageQuestion,
  RefusalMessage,
  TabMessage,
  UndoMessage,
  UndoneAnswer,
} from './protocol'
import {
  fileChangedRefusal,
  type LabelRefusal,
  otherTabRefusal,
  refuseBadRequest,
  refuseWriting,
} from './refusals'

export interface AnswerWriterOptions {
  readonly questions: ReadonlyArray<PageQuestion>
  /** The seed for the order of the rows. */
  readonly seed: number
  /** The number of rows that are shown a second time. */
  readonly repeatedRowCount: number
  /** The columns, or members of JSON cells, that hold the path of an image. */
  readonly imageFields: ReadonlyArray<string>
  /** A command that the page shows after the last row. */
  readonly nextCommand: string
}

/** An answer that can be undone. */
interface WrittenAnswer extends UndoneAnswer {
  readonly step: LabelStep
  readonly cellsBefore: LabelCells
  readonly wasSkipped: boolean
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
  private readonly positions: ReadonlyArray<PagePosition>
  /** The answers of this session that are in the file, in order. */
  private readonly writtenAnswers: WrittenAnswer[] = []
  /** The answer that is not in the file, because another program has changed the file. */
  private refusedAnswer: AnswerToDownload | undefined
  /** The last undo, until the next answer is written. */
  private lastUndo: WrittenAnswer | undefined
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
    this.positions = locateSteps(this.steps)
  }

  /** Opens a tab, which takes over from the tab before it. */
  open(): OpenedPage {
    this.writingTab += 1
    return {
      tab: this.writingTab,
      hasTakenOver: this.writingTab > 1,
      table: this.openedTable.path,
      nextCommand: this.options.nextCommand,
      questions: this.options.questions,
      ...this.describeScreen(),
    }
  }

  /** Writes an answer to the file. If that fails, nothing changes. */
  answer(message: AnswerMessage): Promise<LabelScreen | RefusalMessage> {
    return this.change(message.tab, () => this.writeAnswer(message))
  }

  /** Takes the last answer out of the file. If that fails, nothing changes. */
  undo({ tab, done }: UndoMessage): Promise<LabelScreen | RefusalMessage> {
    return this.change(tab, () => this.undoAnswer(done))
  }

  /** Brings back the steps that the person skipped. Those that they cannot tell stay away. */
  revisit({ tab }: TabMessage): Promise<LabelScreen | RefusalMessage> {
    return this.change(tab, async () => {
      for (const step of this.steps) if (isOnlySkipped(step)) step.isSkipped = false
      return undefined
    })
  }

  /** Checks if the tab could write an answer: another tab or another program may have come in between. */
  check({ tab }: TabMessage): Promise<CheckedPage | RefusalMessage> {
    const checkFile = async () => ((await this.isFileUnchanged()) ? undefined : fileChangedRefusal)
    return this.runInTurn(tab, checkFile, () => ({ isReady: true }))
  }

  /** Ends the session: `finished` resolves. */
  finish({ tab }: TabMessage): Promise<LabelScreen | RefusalMessage> {
    return this.change(tab, async () => {
      this.resolveFinished()
      return undefined
    })
  }

  countProgress(): LabelProgress {
    return countLabelProgress(this.entries, this.steps)
  }

  /** Returns the path of the image that a field of a step shows; `undefined` if there is no such image. */
  findImage(stepIndex: number, fieldIndex: number): string | undefined {
    const step = this.steps[stepIndex]
    const field = step === undefined ? undefined : this.describeFields(step)[fieldIndex]
    return field?.format === 'image' ? field.text : undefined
  }

  /** Formats all answers of this session as CSV, for a person whose table was changed by another program. */
  formatAnswers(): string {
    return formatAnswersAsCsv(this.table, this.listAnswers())
  }

  /** Lists the answers of this session, and the one that could not be written. */
  private listAnswers(): ReadonlyArray<AnswerToDownload> {
    const answers = this.writtenAnswers.map(({ step }) => ({ step, cells: step.entry.cells }))
    return this.refusedAnswer ? [...answers, this.refusedAnswer] : answers
  }

  /** Makes a change and describes what the page shows next. */
  private change(
    tab: number,
    makeChange: () => Promise<LabelRefusal | undefined>,
  ): Promise<LabelScreen | RefusalMessage> {
    return this.runInTurn(tab, makeChange, () => this.describeScreen())
  }

  /** Runs one request of the page at a time, and only for the tab that was opened last. `describeResult` runs if nothing was refused. */
  private runInTurn<A>(
    tab: number,
    run: () => Promise<LabelRefusal | undefined>,
    describeResult: () => A,
  ): Promise<A | RefusalMessage> {
    const result = this.pendingChange.then(async () => {
      const refusal = tab === this.writingTab ? await run() : otherTabRefusal
      return refusal === undefined
        ? describeResult()
        : { ...refusal, answers: this.listAnswers().length }
    })
    // A change that throws must not stop the next one.
    this.pendingChange = result.catch(() => undefined)
    return result
  }

  private async writeAnswer(message: AnswerMessage): Promise<LabelRefusal | undefined> {
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
    const isSkipped = answer.kind !== 'label'
    const isResent =
      this.writtenAnswers.at(-1)?.step === step &&
      step.isSkipped === isSkipped &&
      listChanges(entry, cells).size === 0
    if (isResent) return undefined
    const { note } = message
    const before = { cellsBefore: entry.cells, wasSkipped: step.isSkipped }
    const refusal = await this.save(entry, cells)
    this.refusedAnswer = refusal === fileChangedRefusal ? { step, cells } : undefined
    if (refusal !== undefined) return refusal
    this.writtenAnswers.push({ step, answer, note, ...before })
    this.lastUndo = undefined
    step.isSkipped = isSkipped
    return undefined
  }

  private async undoAnswer(doneOnPage: number): Promise<LabelRefusal | undefined> {
    // The page sends an undo again if it did not get the response to the first one. It then still shows the old count.
    if (doneOnPage !== this.countProgress().done) return undefined
    const lastAnswer = this.writtenAnswers.at(-1)
    if (lastAnswer === undefined) return refuseBadRequest('There is nothing to undo.')
    const refusal = await this.save(lastAnswer.step.entry, lastAnswer.cellsBefore)
    if (refusal !== undefined) return refusal
    this.writtenAnswers.pop()
    this.lastUndo = lastAnswer
    lastAnswer.step.isSkipped = lastAnswer.wasSkipped
    return undefined
  }

  /** Writes the cells of an entry to the file, and then to memory. */
  private async save(entry: LabelEntry, cells: LabelCells): Promise<LabelRefusal | undefined> {
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
    const index = this.steps.findIndex(
      (step) => !isDone(step) && (!step.isSecondShowing || step.entry.cells.label !== ''),
    )
    const { questions } = this.options
    // Both are `undefined` if the index is -1.
    const step = this.steps[index]
    const position = this.positions[index]
    if (step === undefined || position === undefined)
      return { progress, step: null, end: summarizeSession(this.entries, this.steps, questions) }
    const { entry, isSecondShowing } = step
    const questionIndex = questions.indexOf(entry.question)
    const id = getRow(this.table, entry.row, ['id']).get('id') ?? ''
    const fields = this.describeFields(step)
    const { lastUndo } = this
    const undone = lastUndo?.step === step ? { answer: lastUndo.answer, note: lastUndo.note } : null
    return {
      progress,
      step: { index, position, questionIndex, isSecondShowing, id, fields, undone },
      end: null,
    }
  }

  private describeFields({ entry }: LabelStep): ReadonlyArray<PageField> {
    const { questions, imageFields } = this.options
    return describeRow(getRow(this.table, entry.row), questions, imageFields)
  }
}
