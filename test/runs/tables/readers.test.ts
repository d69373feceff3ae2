import { parse } from 'csv-parse/sync'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { messageOf } from '../../../lib/failure/report'
import { getRow, parseEditableTable } from '../../../lib/label/editable-table'
import { noFields } from '../../../lib/runs/rows/row'
import { countRows, openRows } from '../../../lib/runs/rows/rows'
import { encodeUtf16 } from '../../../lib/text/utf16'
import * as fc from '../../support/fast-check'
import { inputFactor } from '../../support/fast-check'
import { splitIntoChunks } from '../record/records'

const test = suite('readers of tables')

const options = { format: 'csv', mayBeArray: false, name: 't', fields: noFields } as const
const { signal } = new AbortController()

/** A table as a file has it. */
interface TableForm {
  readonly delimiter: string
  readonly lineBreaks: ReadonlyArray<string>
  readonly hasQuotes: boolean
  readonly hasSeparatorLine: boolean
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
  readonly mark: boolean
}

const cellText = fc.string({
  unit: fc.constantFrom('a', 'ü', '文', '😀', ' ', ',', ';', '\t', '"', '\n', '\r', "'", '=', '\0'),
  maxLength: 6,
})

const tableForm: fc.Arbitrary<TableForm> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  lineBreaks: fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 1, maxLength: 3 }),
  hasQuotes: fc.boolean(),
  hasSeparatorLine: fc.boolean(),
  encoding: fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
  mark: fc.boolean(),
})

const columns = ['first', 'sec ond', 'x.label']

/** Formats records as the text of a file. Quotes a cell if it must, or by chance. */
const formatTable = (rows: ReadonlyArray<ReadonlyArray<string>>, form: TableForm): string => {
  const { delimiter, lineBreaks, hasQuotes, hasSeparatorLine } = form
  const lines = [columns, ...rows].map((cells, row) => {
    const written = cells.map((cell, column) => {
      const mayStay = !/["\r\n]/.test(cell) && !cell.includes(delimiter) && (row + column) % 3 > 0
      return !hasQuotes || mayStay ? cell : `"${cell.replaceAll('"', '""')}"`
    })
    return written.join(delimiter) + (lineBreaks[row % lineBreaks.length] ?? '\n')
  })
  return (hasSeparatorLine ? `sep=${delimiter}\r\n` : '') + lines.join('')
}

const encodeTable = (text: string, { encoding, mark }: TableForm): Buffer => {
  if (encoding === 'utf-8') return Buffer.from(mark ? `\ufeff${text}` : text)
  return encodeUtf16(`\ufeff${text}`, encoding)
}

/** Reads the rows as `svc batch` and `--labels` do. Returns the cells of each row. */
const readRows = async (bytes: Buffer, hasQuotes: boolean, delimiter: string | undefined) => {
  const open = (chunkBytes: number) => ({
    ...options,
    hasQuotes,
    delimiter,
    signal,
    chunks: splitIntoChunks(bytes, chunkBytes),
  })
  const opened = await openRows(open(5))
  if (E.isLeft(opened)) throw new Error(messageOf(opened.left))
  const rows: string[][] = []
  for await (const { state, fault } of opened.right.rows) {
    if (!(state instanceof Map)) throw new Error(fault)
    rows.push([...state.values()].map(String))
  }
  assert.is(await countRows(open(1000)), rows.length)
  return rows
}

/** Reads the rows as `svc label` does. */
const readEditableRows = (bytes: Buffer, hasQuotes: boolean, delimiter: string | undefined) => {
  const table = parseEditableTable(bytes, { hasQuotes, delimiter })
  if (E.isLeft(table)) throw new Error(table.left)
  return table.right.rows.map((_, row) => [...getRow(table.right, row).values()])
}

/** Reads the rows with csv-parse. */
const parseRows = (text: string, form: TableForm): ReadonlyArray<ReadonlyArray<string>> =>
  parse(form.hasSeparatorLine ? text.replace(/^.*\r\n/, '') : text, {
    delimiter: form.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    quote: form.hasQuotes ? '"' : null,
    relax_column_count: true,
    skip_empty_lines: true,
  }).slice(1)

/** Removes the guard that svc puts before formulas in its tables. The column `x.label` makes this one of them. */
const unguard = (cell: string): string => cell.replace(/^'(?='*[=+\-@\t\r\n])/, '')

test('all readers see the rows that csv-parse reads, in every form of a table', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cellText, cellText, cellText), { maxLength: 5 }),
      tableForm,
      async (generatedRows, form) => {
        const { hasQuotes, delimiter } = form
        // Without quotes, no cell can hold a delimiter or a line break.
        const clean = (cell: string) =>
          hasQuotes ? cell : cell.replaceAll(delimiter, '').replace(/[\r\n]/g, '')
        const rows = generatedRows
          .map((cells) => cells.map(clean))
          .filter((cells) => cells.some((cell) => cell !== ''))
        const text = formatTable(rows, form)
        const bytes = encodeTable(text, form)
        const expected = parseRows(text, form).map((cells) => cells.map(unguard))
        // Only a bar is not found in the header.
        const flag = delimiter === '|' && !form.hasSeparatorLine ? delimiter : undefined
        assert.equal(
          expected,
          rows.map((cells) => cells.map(unguard)),
        )
        assert.equal(await readRows(bytes, hasQuotes, flag), expected)
        assert.equal(readEditableRows(bytes, hasQuotes, flag), expected)
      },
    ),
    { numRuns: 300 * inputFactor },
  )
})

test.run()
