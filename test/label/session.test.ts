import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type EditedLabelTable, parseLabelTable } from '../../lib/label/label-table'
import type { PageQuestion } from '../../lib/label/protocol'
import { createLabelSession } from '../../lib/label/session'
import { listSteps } from '../../lib/label/steps'

const test = suite('labelling a table')

const billing: PageQuestion = {
  id: 'billing',
  text: 'Is it a bill?',
  options: [
    { value: 'yes', name: 'Yes', description: '' },
    { value: 'no', name: 'No', description: '' },
  ],
}

const parseTable = (text: string): EditedLabelTable => {
  const table = parseLabelTable(text, ['billing'])
  if ('fault' in table) throw new Error(table.fault)
  return table
}

const makeTable = (rows: number): EditedLabelTable =>
  parseTable(
    `index,id,p,text,billing.label\n${Array.from({ length: rows }, (_, i) => `${i},t${i},0.5,text ${i},\n`).join('')}`,
  )

const start = (table: EditedLabelTable, again = 0, seed = 0) => {
  const steps = listSteps(table, ['billing'], { seed, again })
  return { steps, session: createLabelSession(table, [billing], steps) }
}

test('an answer goes into the cell of its row, and all other cells keep their text', () => {
  const table = parseTable('\ufeffindex;text;billing.label\r\n0;"a ""b""";\r\n1;=x;\r\n')
  const { steps, session } = start(table)
  session.answer(0, { kind: 'label', value: 'yes' }, '')
  const lines = ['0;"a ""b""";', '1;=x;'].map((line, row) =>
    row === steps[0]?.row ? `${line}yes` : line,
  )
  assert.is(table.format(), `\ufeffindex;text;billing.label\r\n${lines.join('\r\n')}\r\n`)
})

test('the same seed shows the rows in the same order, another seed in another', () => {
  const rowsOf = (seed: number) => start(makeTable(50), 0, seed).steps.map(({ row }) => row)
  assert.equal(rowsOf(1), rowsOf(1))
  assert.not.equal(rowsOf(1), rowsOf(2))
  assert.equal(
    [...rowsOf(1)].sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, i) => i),
  )
})

test('shows no row with a label or "cannot tell"', () => {
  const table = parseTable(
    'index,text,billing.label,billing.note\n0,a,yes,\n1,b,,cannot tell: torn\n2,c,,see page 2\n',
  )
  assert.equal(
    start(table).steps.map(({ row }) => row),
    [2],
  )
})

test('the page never gets answers, labels, notes or chances', () => {
  const table = parseTable(
    'index,id,p,text,billing,billing.top,billing.label,tone.label,billing.note\n0,t0,0.5,hello,0.93,0.93,,calm,unsure\n',
  )
  assert.equal(start(table).session.showStep(0)?.fields, [
    { name: 'id', text: 't0' },
    { name: 'text', text: 'hello' },
  ])
})

test('undo empties the cell again and shows its step next', () => {
  const table = makeTable(3)
  const before = table.format()
  const { session } = start(table)
  session.answer(0, { kind: 'label', value: 'no' }, '')
  assert.is(session.progress().next, 1)
  assert.is(session.undo()?.step, 0)
  assert.is(table.format(), before)
  assert.is(session.progress().next, 0)
  assert.is(session.undo(), undefined)
})

test('"cannot tell" leaves the cell empty and says so in a column for notes', () => {
  const table = makeTable(1)
  const { session } = start(table)
  session.answer(0, { kind: 'cannot tell' }, 'in Welsh')
  assert.is(
    table.format(),
    'index,id,p,text,billing.label,billing.note\n0,t0,0.5,text 0,,cannot tell: in Welsh\n',
  )
  assert.equal(
    [session.progress().next, session.progress().skipped, session.progress().left],
    [null, 1, 1],
  )
})

test('a skipped row stays empty and is not shown again in this session', () => {
  const { session } = start(makeTable(2))
  session.answer(0, { kind: 'skip' }, '')
  assert.is(session.progress().next, 1)
  session.answer(1, { kind: 'label', value: 'yes' }, '')
  const { next, labelled, left, skipped } = session.progress()
  assert.equal({ next, labelled, left, skipped }, { next: null, labelled: 1, left: 1, skipped: 1 })
})

test('an answer that is undone or not written leaves a skipped row skipped', () => {
  const { session } = start(makeTable(2))
  session.answer(0, { kind: 'skip' }, '')
  session.answer(0, { kind: 'label', value: 'yes' }, '')
  const { redo } = session.undo() ?? {}
  assert.is(session.progress().skipped, 1)
  redo?.()
  assert.is(session.progress().skipped, 0)
  session.undo()
  const revert = session.answer(0, { kind: 'label', value: 'no' }, '')
  if (typeof revert !== 'function') throw new Error('the answer was refused')
  revert()
  assert.is(session.progress().skipped, 1)
  assert.is(session.progress().next, 1)
})

test('rows are shown a second time at the end, at least ten rows after the first', () => {
  const { steps } = start(makeTable(12), 5)
  const again = steps.filter(({ isAgain }) => isAgain)
  assert.ok(again.length > 0)
  for (const { row } of again) {
    const places = steps.flatMap((step, place) => (step.row === row ? [place] : []))
    assert.ok((places[1] ?? 0) - (places[0] ?? 0) >= 10)
  }
  assert.equal(
    start(makeTable(9), 5).steps.filter(({ isAgain }) => isAgain),
    [],
  )
})

test('second labels have a separate column, and agree in any spelling', () => {
  const table = makeTable(12)
  const { steps, session } = start(table, 1)
  for (const [place, { isAgain }] of steps.entries())
    if (!isAgain) session.answer(place, { kind: 'label', value: 'yes' }, '')
  table.write(steps[0]?.row ?? 0, 'billing.label', 'TRUE')
  session.answer(12, { kind: 'label', value: 'yes' }, '')
  assert.equal(session.progress().again, { n: 1, agree: 1 })
  assert.match(table.format(), /^index,id,p,text,billing\.label,billing\.again\n/)
})

test('an answer that the question does not have is refused', () => {
  const table = makeTable(1)
  const before = table.format()
  const { session } = start(table)
  assert.is(
    session.answer(0, { kind: 'label', value: 'maybe' }, ''),
    '"maybe" is no answer to billing',
  )
  assert.is(session.answer(7, { kind: 'skip' }, ''), 'there is no step 7')
  assert.is(table.format(), before)
})

test('an answer that is sent twice counts once', () => {
  const { session } = start(makeTable(2))
  session.answer(0, { kind: 'label', value: 'yes' }, '')
  session.answer(0, { kind: 'label', value: 'yes' }, '')
  session.undo()
  assert.is(session.progress().labelled, 0)
})

test('a label that a spreadsheet would run as a formula is written with a guard', () => {
  const table = makeTable(1)
  const tone = { id: 'billing', text: '', options: [{ value: '=1+1', name: '', description: '' }] }
  const steps = listSteps(table, ['billing'], { seed: 0, again: 0 })
  createLabelSession(table, [tone], steps).answer(0, { kind: 'label', value: '=1+1' }, '')
  assert.match(table.format(), /,'=1\+1\n$/)
  assert.is(table.read(0, 'billing.label'), '=1+1')
})

test('faults of a table name the column or the line', () => {
  const faultOf = (text: string) => Object(parseLabelTable(text, ['billing'])).fault
  assert.is(faultOf('a,a,billing.label\n'), 'it has two columns "a"')
  assert.is(faultOf('text,billing.label\na,\nb\n'), 'line 3: it has 1 cells, the header has 2')
})

test.run()
