import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import { messageOf } from '../../../lib/failure/report'
import type { RowForm, RowFormat } from '../../../lib/runs/rows/form'
import { noFields, type Row, type RowFields } from '../../../lib/runs/rows/row'
import { openRows, type Shard, selectRows } from '../../../lib/runs/rows/rows'
import * as fc from '../../support/fast-check'
import { splitIntoChunks } from '../record/records'

const test = suite('runs/rows')

/** The options of `openText`. */
interface InputOptions extends Partial<RowForm> {
  readonly format: RowFormat
  /** The roles of fields. By default, the whole row is the state. */
  readonly fields?: RowFields
  /** The size of the chunks in which the input is read; 1 MiB by default. */
  readonly chunkBytes?: number
}

/** Opens an input with this text. Returns its rows, or the failure. */
const openText = (text: string | Uint8Array, options: InputOptions) => {
  const { fields = noFields, chunkBytes = 1 << 20, ...form } = options
  const { signal } = new AbortController()
  const chunks = splitIntoChunks(text, chunkBytes)
  const defaults = { hasQuotes: true, mayBeArray: false }
  return openRows({ ...defaults, ...form, name: 'rows', fields, chunks, signal })
}

/** The line of a row, and its state as JSON text or its fault. */
type ReadRow =
  | { readonly line: number; readonly state: string }
  | { readonly line: number; readonly fault: string | undefined }

/** Reads the rows of an input that can be opened. Checks that their indexes count from 0. */
const readRows = async (text: string | Uint8Array, options: InputOptions) => {
  const opened = await openText(text, options)
  if (E.isLeft(opened)) throw new Error(JSON.stringify(opened.left))
  const rows: Row[] = []
  for await (const row of opened.right.rows) rows.push(row)
  assert.equal(
    rows.map(({ index }) => index),
    rows.map((_, index) => index),
  )
  return rows.map(
    ({ line, state, fault }): ReadRow =>
      state === undefined ? { line, fault } : { line, state: encodeText(state) },
  )
}

test('accepts a line of 16 MiB, and refuses a longer one', async () => {
  const maxBytes = 16 << 20
  /** Creates a JSON string of this size, with a Windows line break that does not count. */
  const createLine = (bytes: number) => `"${'x'.repeat(bytes - 2)}"\r\n`
  const text = `\ufeff${createLine(maxBytes)}${createLine(maxBytes + 1)}1\n`
  const rows = await readRows(text, { format: 'jsonl', chunkBytes: 1 << 16 })
  assert.equal(
    rows.map((row) => ('state' in row ? row.state.length : row.fault)),
    [maxBytes, 'exceeds 16 MiB', '1'.length],
  )
})

test('each plain line that is not empty is a row, even if it has only spaces', async () => {
  const bytes = Buffer.concat([Buffer.from('\ufeffa "b"\r\n\r\n  \n\nlast\r'), Buffer.from([0xff])])
  assert.equal(await readRows(bytes, { format: 'lines' }), [
    { line: 1, state: '"a \\"b\\""' },
    { line: 3, state: '"  "' },
    { line: 5, state: '"last"' },
    { line: 6, fault: 'invalid UTF-8; try --encoding windows-1252' },
  ])
})

test('reads CSV records as objects of texts, with the number of their first line', async () => {
  const csv = '\ufeffid,text\r\n1,"he said ""hi"",\r\nand\nleft"\r\n\r\n2,x\r\n3,\n"","\r"'
  for (const chunkBytes of [1, 3, 1000])
    assert.equal(await readRows(csv, { format: 'csv', chunkBytes }), [
      { line: 2, state: '{"id":"1","text":"he said \\"hi\\",\\r\\nand\\nleft"}' },
      { line: 6, state: '{"id":"2","text":"x"}' },
      { line: 7, state: '{"id":"3","text":""}' },
      { line: 8, state: '{"id":"","text":"\\r"}' },
    ])
})

test('ignores a byte order mark before a quoted CSV column', async () => {
  for (const chunkBytes of [1, 2, 1000])
    assert.equal(await readRows('\ufeff"two\nlines",b\n1,2\n', { format: 'csv', chunkBytes }), [
      { line: 3, state: '{"two\\nlines":"1","b":"2"}' },
    ])
})

/** The advice at the end of messages about quotes. */
const quotesHint = '; if quotes are ordinary characters in this table, pass --no-quotes'

test('an invalid CSV record does not affect other records', async () => {
  const csv = Buffer.concat([
    Buffer.from('a,b\n1\n1,2,3\nx"y,2\n"x"y,2\n'),
    Buffer.from([0x31, 0x2c, 0xff, 0x0a]),
    Buffer.from('ok,ok\n1,"never closed\nok,ok\n'),
  ])
  assert.equal(await readRows(csv, { format: 'csv' }), [
    { line: 2, fault: '1 field, the header has 2' },
    { line: 3, fault: '3 fields, the header has 2' },
    {
      line: 4,
      fault: `invalid CSV: a quote is inside a field that does not begin with a quote${quotesHint}`,
    },
    {
      line: 5,
      fault: `invalid CSV: a closing quote is not followed by a delimiter or the end of the record${quotesHint}`,
    },
    { line: 6, fault: 'invalid CSV: invalid UTF-8; try --encoding windows-1252' },
    { line: 7, state: '{"a":"ok","b":"ok"}' },
    { line: 8, fault: `invalid CSV: a quoted field is not closed${quotesHint}` },
  ])
})

test('reads the texts of quoted CSV fields', async () => {
  const fieldText = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fieldText, fieldText), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      async (records, chunkBytes) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
        const lines = records.map(([x, y]) => `${quote(x)},${quote(y)}`)
        const csv = ['x,y', ...lines].join('\n')
        const rows = await readRows(csv, { format: 'csv', chunkBytes })
        assert.equal(
          rows.map((row) => ('state' in row ? JSON.parse(row.state) : row)),
          records.filter(([x, y]) => x !== '' || y !== '').map(([x, y]) => ({ x, y })),
        )
      },
    ),
    { numRuns: 100 },
  )
})

test('refuses a CSV header that is invalid, or lacks a column of a flag', async () => {
  /** Opens an input. Returns the message if it is refused, and otherwise an empty text. */
  const openCsv = async (csv: string, fields = noFields) => {
    const opened = await openText(csv, { format: 'csv', fields })
    return E.isLeft(opened) ? messageOf(opened.left) : ''
  }
  const withKey: RowFields = { ...noFields, idField: 'key' }
  assert.is(await openCsv('a,b\n', withKey), 'read rows: rows: the CSV header has no column "key"')
  assert.match(await openCsv('a,key \n', withKey), 'has no column "key"; did you mean "key "?')
  assert.match(await openCsv('a|key\n', withKey), `is one column, "a|key": pass --delimiter '|'`)
  assert.is(
    await openCsv('\n"a\n'),
    `read rows: rows: line 2: the CSV header: a quoted field is not closed${quotesHint}`,
  )
})

test('accepts an empty CSV input, which has no header', async () => {
  const opened = await openText('', { format: 'csv', fields: { ...noFields, idField: 'key' } })
  assert.ok(E.isRight(opened))
})

test('names the columns of a CSV header of 300,000 columns, all of one name', async () => {
  // An algorithm that compares each column with all others would take minutes.
  const opened = await openText(`${'c,'.repeat(299_999)}c\n`, { format: 'csv' })
  assert.ok(E.isRight(opened))
  assert.is(opened.right.header?.columns.at(-1)?.name, 'c (300000)')
})

/** Reads the states of a CSV input, or the faults of invalid rows. Returns the message if it cannot be opened or read. */
const readCsv = async (bytes: Uint8Array, options: Omit<InputOptions, 'format'> = {}) => {
  const opened = await openText(bytes, { ...options, format: 'csv' })
  if (E.isLeft(opened)) return messageOf(opened.left)
  const rows: Row[] = []
  try {
    for await (const row of opened.right.rows) rows.push(row)
  } catch (error) {
    return String(error)
  }
  return rows.map(({ state, fault }) =>
    state === undefined ? fault : JSON.parse(encodeText(state).toString()),
  )
}

test('guesses the delimiter that occurs most often in the header, outside quotes', async () => {
  const readText = (text: string) => readCsv(Buffer.from(text), { chunkBytes: 3 })
  assert.equal(await readText('a;b\n"1;2";3,5\n'), [{ a: '1;2', b: '3,5' }])
  assert.equal(await readText('\ufeff"a,b,c";d\n1;2\n'), [{ 'a,b,c': '1', d: '2' }])
  assert.equal(await readText('a\tb,c\td\n1\t2\t3\n'), [{ a: '1', 'b,c': '2', d: '3' }])
  assert.equal(await readText('a,b;c\n1,2\n'), [{ a: '1', 'b;c': '2' }])
  assert.equal(await readText('a\n1;2\n'), [{ a: '1;2' }])
  // Two delimiters that occur equally often leave the comma.
  assert.equal(await readText('a;b\tc\n1;2\n'), [{ 'a;b\tc': '1;2' }])
})

test('splits CSV at the delimiter of --delimiter', async () => {
  const rows = await readCsv(Buffer.from('a|b\n1|2\n'), { delimiter: '|' })
  assert.equal(rows, [{ a: '1', b: '2' }])
})

/** The row `schön „a“;5€` in windows-1252. */
const germanCsv = Buffer.concat([
  Buffer.from('text;preis\nsch'),
  Buffer.from([0xf6, 0x6e, 0x20, 0x84, 0x61, 0x93, 0x3b, 0x35, 0x80]),
])

test('decodes windows-1252 and latin1 as browsers do', async () => {
  // Browsers decode latin1 as windows-1252.
  for (const encoding of ['windows-1252', 'latin1']) {
    const rows = await readCsv(germanCsv, { encoding, chunkBytes: 2 })
    assert.equal(rows, [{ text: 'schön „a“', preis: '5€' }])
  }
})

test('suggests windows-1252 for a row that is not UTF-8', async () => {
  const rows = await readCsv(germanCsv)
  assert.equal(rows, ['invalid CSV: invalid UTF-8; try --encoding windows-1252'])
})

test('recognizes UTF-16 by its byte order mark', async () => {
  const text = Buffer.from('\ufeffa\tb\r\nä\tö\r\n', 'utf16le')
  for (const chunkBytes of [1, 5, 1000])
    assert.equal(await readCsv(text, { chunkBytes }), [{ a: 'ä', b: 'ö' }])
})

test('names the line of a text that is invalid in its encoding', async () => {
  const text = Buffer.concat([Buffer.from('a\nb\n'), Buffer.from([0x80, 0x0a])])
  assert.match(
    String(await readCsv(text, { encoding: 'shift_jis' })),
    'line 3: the text is not valid shift_jis',
  )
})

test('refuses an Excel workbook by its content', async () => {
  // The first bytes of .xlsx and .xls files.
  for (const start of ['PK\x03\x04rest', '\xd0\xcf\x11\xe0rest'])
    assert.match(
      String(await readCsv(Buffer.from(start, 'latin1'), { chunkBytes: 1 })),
      'this is an Excel workbook',
    )
})

test('ends records at newlines, carriage returns or both, in one file', async () => {
  const csv = 'a,b\r1,2\r\n3,"4\r5"\n6,7\r\r\n8,9'
  for (const chunkBytes of [1, 2, 3, 1000])
    assert.equal(
      await readRows(csv, { format: 'csv', chunkBytes }),
      [
        { line: 2, state: '{"a":"1","b":"2"}' },
        { line: 3, state: '{"a":"3","b":"4\\r5"}' },
        { line: 5, state: '{"a":"6","b":"7"}' },
        { line: 7, state: '{"a":"8","b":"9"}' },
      ],
      String(chunkBytes),
    )
  assert.equal(await readRows('one\rtwo\r\n\rthree', { format: 'lines', chunkBytes: 4 }), [
    { line: 1, state: '"one"' },
    { line: 2, state: '"two"' },
    { line: 4, state: '"three"' },
  ])
})

test('takes the delimiter from a first line such as sep=;, which is no row', async () => {
  const table = (line: string) => Buffer.from(`${line}\r\na,b;c\r\n1;2\r\n`)
  for (const line of ['sep=;', 'SEP=;', '"sep=;"', '\ufeffsep=;'])
    assert.equal(await readCsv(table(line), { chunkBytes: 2 }), [{ 'a,b': '1', c: '2' }])
  assert.equal(await readCsv(table('sep=;'), { delimiter: ',' }), ['1 field, the header has 2'])
  assert.equal(await readCsv(Buffer.from('a\nsep=;\n')), [{ a: 'sep=;' }])
})

test('leaves out a column without a name if its cell is empty, and otherwise names it by its position', async () => {
  const csv = 'label,text,, ,\nham,hello,,,\nspam,win,a,,b\n'
  assert.equal(await readCsv(Buffer.from(csv)), [
    { label: 'ham', text: 'hello' },
    { label: 'spam', text: 'win', 'column 3': 'a', 'column 5': 'b' },
  ])
  assert.equal(await readCsv(Buffer.from('column 2,\n1,2\n')), [
    { 'column 2': '1', 'column 2 (2)': '2' },
  ])
})

test('numbers the columns of one name, and refuses a flag that names several', async () => {
  const csv = Buffer.from('Score,Score (2),Score,Score\n1,2,3,4\n')
  assert.equal(await readCsv(csv), [
    { Score: '1', 'Score (2)': '2', 'Score (3)': '3', 'Score (4)': '4' },
  ])
  const select = (stateField: string) => readCsv(csv, { fields: { ...noFields, stateField } })
  assert.equal(await select('Score (3)'), ['3'])
  assert.is(
    await select('Score'),
    'read rows: rows: the CSV header has the column "Score" 3 times, as columns 1, 3 and 4: rename it, or name "Score (3)" or "Score (4)"',
  )
})

test('a record whose cells are all empty is no row, whatever their number', async () => {
  const csv = Buffer.from(',,\n\na,b\n1,2\n,,,\n,\n"",""\n\n3,4\n,')
  assert.equal(await readCsv(csv), [
    { a: '1', b: '2' },
    { a: '3', b: '4' },
  ])
})

test('with --no-quotes a quote is an ordinary character', async () => {
  const tsv = Buffer.from('text\t"b"\n"Hello\t1\nbye" he said\t0\n')
  assert.equal(await readCsv(tsv, { hasQuotes: false }), [
    { text: '"Hello', '"b"': '1' },
    { text: 'bye" he said', '"b"': '0' },
  ])
})

test('counts quoted cells that hold a line break and a delimiter', async () => {
  const count = async (text: string, hasQuotes = true) => {
    const opened = await openText(text, { format: 'csv', hasQuotes })
    if (E.isLeft(opened)) throw new Error(messageOf(opened.left))
    for await (const _ of opened.right.rows);
    return opened.right.countSpanningCells()
  }
  const text = 'a\tb\n"x\t1\ny"\t0\n"x\ny"\t"x\ty"\n"\r\t"\t1\n'
  assert.is(await count(text), 2)
  assert.is(await count(text, false), 0)
  // A table of labels may come from anywhere, so it gets the same remark.
  assert.is(await count('a,b.label\n"x,yes\n1,y",no\n'), 1)
  assert.is(await count('a\tb.label\n"x\t\ny"\t1\n'), 1)
})

test('removes the guards of a table that svc wrote, and of no other table', async () => {
  const read = (header: string) => readCsv(Buffer.from(`${header}\n'@anna,"'=1",'it\n`))
  for (const header of ["'@a,b,c.decision", "'@a,b,c.label"]) {
    const [row] = (await read(header)) as ReadonlyArray<Record<string, string>>
    assert.equal(Object.values(row ?? {}), ['@anna', '=1', "'it"])
    assert.is(Object.keys(row ?? {})[0], '@a')
  }
  assert.equal(await read('a,b,c'), [{ a: "'@anna", b: "'=1", c: "'it" }])
})

/** Reads a file that may be a JSON array. Returns its rows, or the message if it is refused. */
const readJsonFile = async (text: string, chunkBytes = 1 << 20) => {
  const options = { format: 'jsonl', mayBeArray: true, chunkBytes } as const
  const opened = await openText(text, options)
  return E.isLeft(opened) ? messageOf(opened.left) : readRows(text, options)
}

test('reads the elements of a JSON array in a .json file, with the line of each', async () => {
  const text = '\ufeff\n[{"a":"],[\\""}, 1.0,\n\n  [[2],{}],\n\n"x"\n]\n'
  for (const chunkBytes of [1, 1000])
    assert.equal(await readJsonFile(text, chunkBytes), [
      { line: 2, state: '{"a":"],[\\""}' },
      { line: 2, state: '1.0' },
      { line: 4, state: '[[2],{}]' },
      { line: 6, state: '"x"' },
    ])
  assert.equal(await readJsonFile('[ ]'), [])
})

test('reads JSON lines in a .json file, also if each is an array', async () => {
  assert.equal(await readJsonFile('[1]\n[2]\n'), [
    { line: 1, state: '[1]' },
    { line: 2, state: '[2]' },
  ])
  assert.equal(await readJsonFile('{"a":1}\nx\n{}'), [
    { line: 1, state: '{"a":1}' },
    { line: 2, fault: 'invalid JSON: column 1: expected a value, found "x"' },
    { line: 3, state: '{}' },
  ])
})

test('refuses a JSON array that is invalid or too large', async () => {
  assert.is(
    await readJsonFile('[\n{"a":1},\n]'),
    'read rows: rows: invalid JSON: line 3, column 1: expected a value, found "]"',
  )
  const elements = `"${'x'.repeat(1 << 20)}",\n`.repeat(17)
  assert.match(
    String(await readJsonFile(`[${elements}1]`)),
    `more than 16 MiB: write its elements as lines with jq -c '.[]'`,
  )
})

/** Lists the indexes of the rows that are selected from `count` rows. */
const listSelected = async (count: number, limit: number | undefined, shard?: Shard) => {
  async function* yieldRows() {
    for (let index = 0; index < count; index++) yield { index, line: index + 1 }
  }
  const indexes: number[] = []
  for await (const { index } of selectRows(yieldRows(), limit, shard)) indexes.push(index)
  return indexes
}

test('the shards of the selected rows together have each of these rows exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(30),
      fc.option(fc.nat(40), { nil: undefined }),
      fc.integer({ min: 1, max: 7 }),
      async (count, limit, shardCount) => {
        const shardIndexes: number[] = []
        for (let number = 1; number <= shardCount; number++)
          shardIndexes.push(...(await listSelected(count, limit, { number, count: shardCount })))
        assert.equal(
          shardIndexes.sort((a, b) => a - b),
          await listSelected(count, limit),
        )
      },
    ),
    { numRuns: 50 },
  )
})

test.run()
