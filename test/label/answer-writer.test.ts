import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerWriter } from '../../lib/label/answer-writer'
import { openTable } from '../../lib/label/open-table'
import type {
  LabelScreen,
  PageAnswer,
  PageQuestion,
  PageStep,
  RefusalMessage,
} from '../../lib/label/protocol'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import { createMemoryFiles } from '../support/files'

/** The page shows one row after the other. Each showing is a step. Some rows are shown twice, to compare the two labels of a person. */
const test = suite('answer writer')

const billing: PageQuestion = {
  id: 'billing',
  type: 'noul',
  text: 'Is it a bill?',
  options: [
    { value: 'yes', name: 'Yes', description: '' },
    { value: 'no', name: 'No', description: '' },
  ],
}

/** Creates a table of rows without labels. */
const createTable = (rowCount: number): string => {
  const lines = Array.from({ length: rowCount }, (_, i) => `${i},t${i},0.5,text ${i},\n`)
  return `index,id,p,text,billing.label\n${lines.join('')}`
}

interface WriterOptions {
  readonly repeatedRowCount?: number
  readonly seed?: number
  readonly isDiskFull?: () => boolean
  readonly imageFields?: ReadonlyArray<string>
}

/** Opens a table in memory with a page, and returns functions that send messages of the page. */
const openWriter = async (text: string, options: WriterOptions = {}) => {
  const { repeatedRowCount = 0, seed = 0, isDiskFull = () => false, imageFields = [] } = options
  const { files, contents } = createMemoryFiles({ 't.csv': text })
  const replace = async (data: string | Uint8Array): Promise<void> => {
    if (isDiskFull()) throw createSystemError('ENOSPC')
    await files.replace('t.csv', data)
  }
  const opened = await openTable(files, {
    input: 't.csv',
    output: undefined,
    questions: [billing],
    form: { hasQuotes: true },
    imageFields,
  })
  if (E.isLeft(opened)) throw new Error('the table cannot be opened')
  const writer = new AnswerWriter(files, { replace }, opened.right, {
    questions: [billing],
    seed,
    repeatedRowCount,
    imageFields,
    nextCommand: 'svc eval run.jsonl --labels t.csv',
  })
  const openedPage = writer.open()
  const answer = (stepIndex: number, pageAnswer: PageAnswer, note = '') =>
    writer.answer({ tab: 1, stepIndex, answer: pageAnswer, note })
  return {
    writer,
    openedPage,
    answer,
    revisit: () => writer.revisit({ tab: 1 }),
    undo: (done = writer.countProgress().done) => writer.undo({ tab: 1, done }),
    readFile: () => contents()['t.csv'],
  }
}

const yesLabel: PageAnswer = { kind: 'label', value: 'yes' }
const noLabel: PageAnswer = { kind: 'label', value: 'no' }
const skipAnswer: PageAnswer = { kind: 'skip' }

/** Answers all steps with yes. Returns the steps in the order of the page. */
const answerAll = async (text: string, options: WriterOptions = {}) => {
  const { writer, openedPage, answer, readFile } = await openWriter(text, options)
  const steps: PageStep[] = []
  let { step }: LabelScreen = openedPage
  while (step !== null) {
    steps.push(step)
    const screen = await answer(step.index, yesLabel)
    if ('refusal' in screen) throw new Error(screen.message)
    step = screen.step
  }
  return { steps, readFile, progress: writer.countProgress() }
}

/** Returns the index of the next step, or null if no steps remain. Throws if the response is a refusal. */
const indexOfNextStep = (response: LabelScreen | RefusalMessage): number | null => {
  if ('refusal' in response) throw new Error(response.message)
  return response.step?.index ?? null
}

/** Returns the cell `text` of the row that a step shows. A field has no name if it is the only one of the row. */
const getText = ({ fields }: PageStep): string | undefined =>
  fields.find(({ name }) => name === 'text' || name === '')?.text

test('writes an answer to the cell of its row, and keeps all other bytes', async () => {
  const rows = '0;"a ""b""";no\r\n1;=x;'
  const table = await openWriter(`\ufeffindex;text;billing.label\r\n${rows}\r\n`)
  await table.answer(0, yesLabel)
  assert.is(table.readFile(), `\ufeffindex;text;billing.label\r\n${rows}yes\r\n`)
})

test('the seed determines the order of the rows', async () => {
  const listTexts = async (seed: number) => {
    const { steps } = await answerAll(createTable(50), { seed })
    return steps.map(getText)
  }
  const texts = await listTexts(1)
  assert.equal(await listTexts(1), texts)
  assert.not.equal(await listTexts(2), texts)
  assert.is(new Set(texts).size, 50)
})

test('leaves out rows with a label or a note "cannot tell"', async () => {
  const { steps } = await answerAll(
    'index,text,billing.label,billing.note\n0,a,yes,\n1,b,,cannot tell: torn\n2,c,,see page 2\n',
  )
  assert.equal(steps.map(getText), ['c'])
})

test('never shows answers, labels, notes or sampling probabilities', async () => {
  const { openedPage } = await openWriter(
    'index,id,p,text,billing,billing.top,billing.label,tone.label,billing.note\n' +
      '0,t0,0.5,hello,0.93,0.93,,calm,unsure\n',
  )
  assert.equal(openedPage.step?.fields, [{ name: '', text: 'hello', format: 'text' }])
  assert.is(openedPage.step?.id, 't0')
})

test('undo empties the cell and shows its step next', async () => {
  const { answer, undo, readFile } = await openWriter(createTable(3))
  await answer(0, noLabel)
  const screen = await answer(1, yesLabel)
  assert.is(indexOfNextStep(screen), 2)
  const undone = await undo()
  assert.is(indexOfNextStep(undone), 1)
  await undo()
  assert.is(readFile(), createTable(3))
  assert.equal(await undo(), {
    refusal: 'bad request',
    message: 'There is nothing to undo.',
    answers: 0,
  })
})

test('undo shows the answer that it took back, with its note, until another answer is written', async () => {
  const { answer, undo } = await openWriter(createTable(3))
  await answer(0, noLabel, 'in Welsh')
  const undone = await undo()
  if ('refusal' in undone) throw new Error(undone.message)
  assert.equal(undone.step?.undone, { answer: noLabel, note: 'in Welsh' })
  const screen = await answer(0, yesLabel)
  if ('refusal' in screen) throw new Error(screen.message)
  assert.is(screen.step?.undone, null)
})

test('skipped rows come back on request, and can be skipped again, but not those that the person cannot tell', async () => {
  const { answer, revisit, writer } = await openWriter(createTable(3))
  await answer(0, yesLabel)
  await answer(1, { kind: 'cannot tell' })
  const end = await answer(2, skipAnswer)
  if ('refusal' in end) throw new Error(end.message)
  assert.equal(end.end, {
    counts: [
      {
        question: 'Is it a bill?',
        answers: [
          { name: 'Yes', count: 1 },
          { name: 'No', count: 0 },
        ],
        cannotTell: 1,
        empty: 1,
      },
    ],
    skipped: 1,
  })
  assert.is(indexOfNextStep(await revisit()), 2)
  assert.is(indexOfNextStep(await answer(2, skipAnswer)), null)
  assert.is(writer.countProgress().skipped, 2)
})

test('names the row and the question of each step, and counts a second showing as a row', async () => {
  const { steps } = await answerAll(createTable(11), { repeatedRowCount: 1 })
  assert.equal(steps.at(0)?.position, { row: 1, rows: 12, question: 1, questions: 1 })
  assert.equal(steps.at(-1)?.position, { row: 12, rows: 12, question: 1, questions: 1 })
})

test('finds the path of an image by the step and the field that show it', async () => {
  const { writer, openedPage } = await openWriter(
    'index,photo,remark,billing.label\n0,photos/a.png,on arrival,\n1,photos/b.png,gone,\n',
    { imageFields: ['photo'] },
  )
  const path = openedPage.step?.fields[0]?.text
  assert.equal(openedPage.step?.fields[0], { name: 'photo', text: path, format: 'image' })
  assert.is(writer.findImage(0, 0), path)
  // The remark is no image, and there is no third field.
  assert.equal(
    [writer.findImage(0, 1), writer.findImage(0, 2), writer.findImage(9, 0)],
    [undefined, undefined, undefined],
  )
})

test('"cannot tell" leaves the cell empty and says so in a column for notes', async () => {
  const { answer, writer, readFile } = await openWriter(createTable(1))
  const screen = await answer(0, { kind: 'cannot tell' }, 'in Welsh')
  assert.is(indexOfNextStep(screen), null)
  assert.is(
    readFile(),
    'index,id,p,text,billing.label,billing.note\n0,t0,0.5,text 0,,cannot tell: in Welsh\n',
  )
  const { labelled, skipped, left } = writer.countProgress()
  assert.equal({ labelled, skipped, left }, { labelled: 0, skipped: 1, left: 1 })
})

test('"cannot tell" keeps a note that the row already has', async () => {
  const { answer, readFile } = await openWriter(
    'index,text,billing.label,billing.note\n0,a,,see page 2\n',
  )
  await answer(0, { kind: 'cannot tell' })
  assert.is(readFile(), 'index,text,billing.label,billing.note\n0,a,,cannot tell: see page 2\n')
})

test('a skipped row stays empty and does not come back', async () => {
  const { answer, writer } = await openWriter(createTable(2))
  await answer(0, skipAnswer)
  const screen = await answer(1, yesLabel)
  assert.is(indexOfNextStep(screen), null)
  const { labelled, left, skipped } = writer.countProgress()
  assert.equal({ labelled, left, skipped }, { labelled: 1, left: 1, skipped: 1 })
})

test('an answer that is undone or not written leaves a skipped row skipped', async () => {
  let isDiskFull = false
  const { answer, undo, writer } = await openWriter(createTable(2), {
    isDiskFull: () => isDiskFull,
  })
  await answer(0, skipAnswer)
  await answer(0, yesLabel)
  assert.is(writer.countProgress().skipped, 0)
  await undo()
  assert.is(writer.countProgress().skipped, 1)
  isDiskFull = true
  await answer(0, noLabel)
  await undo()
  assert.is(writer.countProgress().skipped, 1)
})

test('rows are shown a second time at the end, at least ten rows after their first showing', async () => {
  const rowCount = 12
  const { steps } = await answerAll(createTable(rowCount), { repeatedRowCount: 5 })
  const texts = steps.map(getText)
  assert.equal(
    steps.map(({ isSecondShowing }) => isSecondShowing),
    texts.map((_, i) => i >= rowCount),
  )
  assert.is(texts.length, rowCount + 5)
  for (let i = rowCount; i < texts.length; i++) assert.ok(i - texts.indexOf(texts[i]) >= 10)
})

test('a table of nine rows is too short for a second showing', async () => {
  assert.is((await answerAll(createTable(9), { repeatedRowCount: 5 })).steps.length, 9)
})

test('rows with a second label from an earlier session do not count as distance between two showings', async () => {
  // One row is unlabelled, 19 rows have both labels. Any place of the row in the shuffled order is tried.
  for (let unlabelled = 0; unlabelled < 20; unlabelled++) {
    const rows = Array.from({ length: 20 }, (_, i) =>
      i === unlabelled ? `${i},text ${i},,\n` : `${i},text ${i},yes,yes\n`,
    )
    const text = `index,text,billing.label,billing.again\n${rows.join('')}`
    const { steps } = await answerAll(text, { repeatedRowCount: 20 })
    // Only the unlabelled row is shown, and only once.
    assert.is(steps.length, 1)
  }
})

test('writes second labels to a column of their own, and compares them with the first labels in any spelling', async () => {
  // The first row has the label yes, as a spreadsheet writes it.
  const text = createTable(12).replace(',\n', ',TRUE\n')
  const { progress, readFile } = await answerAll(text, { repeatedRowCount: 12 })
  assert.equal(progress.again, { n: 12, agree: 12 })
  assert.match(readFile() ?? '', /^index,id,p,text,billing\.label,billing\.again\n0,.*,TRUE,yes\n/)
})

test('refuses an answer that the question does not have', async () => {
  const { answer, readFile } = await openWriter(createTable(1))
  assert.equal(await answer(0, { kind: 'label', value: 'maybe' }), {
    refusal: 'bad request',
    message: '"maybe" is no answer to billing.',
    answers: 0,
  })
  assert.is(readFile(), createTable(1))
})

test('refuses an answer to a step that does not exist', async () => {
  const { answer, readFile } = await openWriter(createTable(1))
  assert.equal(await answer(7, skipAnswer), {
    refusal: 'bad request',
    message: 'There is no step 7.',
    answers: 0,
  })
  assert.is(readFile(), createTable(1))
})

test('writes an answer once if the page sends it twice', async () => {
  const { answer, undo, writer } = await openWriter(createTable(2))
  await answer(0, yesLabel)
  await answer(0, yesLabel)
  await undo()
  assert.is(writer.countProgress().labelled, 0)
})

test('undoes one answer if the page sends an undo twice', async () => {
  const { answer, undo, writer } = await openWriter(createTable(3))
  await answer(0, yesLabel)
  await answer(1, yesLabel)
  await undo(2)
  const screen = await undo(2)
  assert.is(indexOfNextStep(screen), 1)
  assert.is(writer.countProgress().labelled, 1)
})

test.run()
