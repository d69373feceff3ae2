import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonValue } from '../../lib/codec/json/json'
import { messageOf } from '../../lib/failure/report'
import { getRow, parseEditableTable } from '../../lib/label/editable-table'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import { SampleDraw } from '../../lib/measure/sample/sample'
import { tabulateSample } from '../../lib/measure/sample/sample-document'
import { SelectionTable } from '../../lib/measure/select/selection-table'
import { noFields } from '../../lib/runs/rows/row'
import { openRows } from '../../lib/runs/rows/rows'
import * as fc from '../support/fast-check'
import { createNoul, createRecords } from './runs'

const test = suite('tables of sample and select')

/** A text that is hard to write in a table. `\ud83d` is half a character. */
const cellText = fc.string({
  unit: fc.constantFrom(
    'a',
    '=',
    '+',
    '-',
    '@',
    '＝',
    "'",
    '"',
    ',',
    ';',
    '\t',
    '\n',
    '\r',
    '\0',
    '😀',
    '\ud83d',
    ' ',
    '1',
  ),
  maxLength: 6,
})

const fieldName = fc.oneof(
  fc.constantFrom('text', 'p', 'index', 'q.label', 'q.decision', 'q', 'error', 'input.p'),
  cellText.filter((name) => name.trim() !== '' && !name.startsWith('\ufeff')),
)

const inputRows = fc
  .uniqueArray(fieldName, { minLength: 1, maxLength: 4 })
  .chain((names) =>
    fc
      .array(fc.tuple(...names.map(() => cellText)), { minLength: 1, maxLength: 4 })
      .map((rows) =>
        rows.map(
          (cells) => new Map<string, string>(names.map((name, i) => [name, cells[i] ?? ''])),
        ),
      ),
  )

/** Returns a text as UTF-8 can hold it. */
const toUtf8 = (text: string): string => Buffer.from(text).toString()

/** Reads a table as `svc batch`, `--rows` and `--labels` do. Returns its rows as pairs of a column and a cell. */
const readRows = async (table: string) => {
  async function* chunks() {
    yield Buffer.from(table)
  }
  const { signal } = new AbortController()
  const form = { format: 'csv', hasQuotes: true, mayBeArray: false } as const
  const opened = await openRows({ ...form, name: 't', fields: noFields, signal, chunks: chunks() })
  if (E.isLeft(opened)) throw new Error(messageOf(opened.left))
  const rows: Array<ReadonlyArray<readonly [string, JsonValue]>> = []
  for await (const { state, fault } of opened.right.rows) {
    if (!(state instanceof Map)) throw new Error(fault)
    rows.push([...state])
  }
  return rows
}

const records = (count: number) =>
  createRecords(Array.from({ length: count }, () => ({ answers: { q: createNoul(0.5) } })))

test('a table of svc sample is read back as the rows that went in, by all readers', async () => {
  await fc.assert(
    fc.asyncProperty(inputRows, async (rows) => {
      const draw = new SampleDraw({ size: 99, by: 'margin', randomShare: 1, seed: 0 })
      for (const record of records(rows.length)) draw.add(withRecordLabels(record))
      const sample = draw.finish() ?? []
      const { text } = tabulateSample(sample, new Map(rows.entries()))
      const fieldCount = rows[0]?.size ?? 0
      const read = await readRows(text)
      // The columns are index and p, those of the input, and q.label.
      assert.equal(
        read.map((cells) => cells.slice(2, 2 + fieldCount).map(([, cell]) => cell)),
        rows.map((row) => [...row.values()].map(toUtf8)),
      )
      assert.equal(new Set(read[0]?.map(([name]) => name)).size, fieldCount + 3)
      const table = parseEditableTable(Buffer.from(text), { hasQuotes: true })
      if (E.isLeft(table)) throw new Error(table.left)
      assert.equal(
        rows.map((_, row) => [...getRow(table.right, row)]),
        read,
      )
    }),
  )
})

test('a table of svc select is read back as the rows that went in', async () => {
  await fc.assert(
    fc.asyncProperty(inputRows, async (rows) => {
      const table = new SelectionTable(false)
      let text = ''
      for (const [index, record] of records(rows.length).entries()) {
        const lines = table.add({ record, row: rows[index] })
        if (E.isLeft(lines)) throw new Error(lines.left)
        text += lines.right
      }
      const read = await readRows(text)
      const fieldCount = rows[0]?.size ?? 0
      assert.equal(
        read.map((cells) => cells.slice(0, fieldCount).map(([, cell]) => cell)),
        rows.map((row) => [...row.values()].map(toUtf8)),
      )
    }),
  )
})

test('svc select writes a column without a name as it was, also if its first cell comes late', async () => {
  const table = new SelectionTable(false)
  const inputColumns = [
    { name: 'text', isNamed: true },
    { name: 'column 2', isNamed: false },
  ]
  const rows = [
    new Map([['text', 'a']]),
    new Map([
      ['text', 'b'],
      ['column 2', 'late'],
    ]),
  ]
  let text = ''
  for (const [index, record] of records(2).entries()) {
    const lines = table.add({ record, row: rows[index], inputColumns })
    if (E.isLeft(lines)) throw new Error(lines.left)
    text += lines.right
  }
  assert.is(text, 'text,,q,q.decision,q.top,error\na,,0.5,yes,0.5,\nb,late,0.5,yes,0.5,\n')
})

test('svc sample renames a field with the name of a column of its own, and writes ids once', () => {
  const tabulate = (
    rows: ReadonlyArray<ReadonlyMap<string, string>>,
    ids: ReadonlyArray<string>,
  ) => {
    const draw = new SampleDraw({ size: 9, by: 'margin', randomShare: 1, seed: 0 })
    const fields = ids.map((id) => ({ id, answers: { q: createNoul(0.5) } }))
    for (const record of createRecords(fields)) draw.add(withRecordLabels(record))
    const inputRowsByIndex = new Map(rows.map((row, index) => [index, new Map(row)]))
    return tabulateSample(draw.finish() ?? [], inputRowsByIndex).text
  }
  const row = new Map([
    ['id', 'x'],
    ['p', 'page 3'],
    ['q.label', 'old'],
    ['text', 'hello'],
  ])
  assert.is(
    tabulate([row], ['x']),
    'index,id,p,input.p,input.q.label,text,q.label\n0,x,1,page 3,old,hello,\n',
  )
  assert.is(
    tabulate(
      [
        new Map([
          ['id', 'y'],
          ['text', 'hello'],
        ]),
      ],
      ['x'],
    ),
    'index,id,p,input.id,text,q.label\n0,x,1,y,hello,\n',
  )
})

test.run()
