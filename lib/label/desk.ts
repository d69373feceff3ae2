import { formatCsvLine } from '../runs/rows/csv'
import { type EditedLabelTable, labelColumns } from './label-table'
import type {
  AnswerMessage,
  LabelProgress,
  Opened,
  PageQuestion,
  PageStep,
  RefusalMessage,
  Undone,
} from './protocol'
import type { LabelSession } from './session'
import type { TableFile } from './table-file'

/** The work behind the server's routes. Only the page that was opened last may change the table. */
export interface LabelDesk {
  readonly open: () => Opened
  readonly showStep: (step: number) => PageStep | undefined
  readonly answer: (message: AnswerMessage) => Promise<LabelProgress | RefusalMessage>
  readonly undo: (tab: number) => Promise<Undone | RefusalMessage>
  readonly finish: (tab: number) => LabelProgress | RefusalMessage
  /** The answers since the start as CSV. They rescue the work if another program changed the table. */
  readonly listAnswers: () => string
}

const otherTab: RefusalMessage = {
  refusal: 'other tab',
  message: 'This table was opened in another tab, which goes on from here.',
}

const fileChanged: RefusalMessage = {
  refusal: 'file changed',
  message: 'The table was changed by another program since svc read it. It was left as it is.',
}

const nothingToUndo: RefusalMessage = {
  refusal: 'bad request',
  message: 'There is nothing to undo.',
}

/** Creates the desk at which one person labels one table. `onFinish` runs when the person has pressed done. */
export const createDesk = (
  name: string,
  table: EditedLabelTable,
  questions: ReadonlyArray<PageQuestion>,
  session: LabelSession,
  file: TableFile,
  onFinish: () => void,
): LabelDesk => {
  let tab = 0
  let last: Promise<unknown> = Promise.resolve()

  /** Queues work, because the table must not change while it is being saved. */
  const inTurn = <A>(work: () => Promise<A>): Promise<A> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  /** Saves the table, or takes the change out of it again. */
  const saveOrRevert = async (revert: () => void): Promise<RefusalMessage | undefined> => {
    const saved = await file.save(table.format())
    if (saved.state === 'saved') return undefined
    revert()
    if (saved.state === 'changed') return fileChanged
    return { refusal: 'not written', message: `The table cannot be written: ${saved.reason}.` }
  }

  return {
    open: () => {
      tab += 1
      return { tab, tookOver: tab > 1, table: name, questions, progress: session.progress() }
    },
    showStep: session.showStep,
    answer: ({ tab: from, step, answer, note }) =>
      inTurn(async () => {
        if (from !== tab) return otherTab
        const revert = session.answer(step, answer, note)
        if (typeof revert === 'string') return { refusal: 'bad request', message: revert }
        return (await saveOrRevert(revert)) ?? session.progress()
      }),
    undo: (from) =>
      inTurn(async () => {
        if (from !== tab) return otherTab
        const undone = session.undo()
        if (undone === undefined) return nothingToUndo
        const refusal = await saveOrRevert(undone.redo)
        return refusal ?? { progress: session.progress(), step: undone.step }
      }),
    finish: (from) => {
      if (from !== tab) return otherTab
      onFinish()
      return session.progress()
    },
    listAnswers: () => listAnswers(table, session),
  }
}

/** Lists the answers since the start as CSV: the row's `index` and `id`, the question, the label and the note. */
const listAnswers = (table: EditedLabelTable, session: LabelSession): string => {
  const lines = session.answered().map(({ row, question, isAgain }) => {
    const { label, again, note } = labelColumns(question)
    const place = [table.read(row, 'index'), table.read(row, 'id')]
    return [...place, question, table.read(row, isAgain ? again : label), table.read(row, note)]
  })
  return [['index', 'id', 'question', 'label', 'note'], ...lines].map(formatCsvLine).join('')
}
