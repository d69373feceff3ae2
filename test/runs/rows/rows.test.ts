import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import type { Format } from '../../../lib/runs/rows/form'
import { divideRow, type Fields, parseYesNo, type Row } from '../../../lib/runs/rows/row'
import { openRows, selectRows } from '../../../lib/runs/rows/rows'
import type { TextForm } from '../../../lib/runs/rows/text'
import * as fc from '../../support/fast-check'
import { parseValue } from '../record/records'

const test = suite('runs/rows')

const wholeRow: Fields = {
  state: undefined,
  id: undefined,
  group: undefined,
  labels: [],
  images: [],
}

async function* splitBytes(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const openText = (format: Format, text: string | Uint8Array, fields = wholeRow, size = 1 << 20) =>
  openRows({
    name: 'rows',
    format,
    fields,
    chunks: splitBytes(Buffer.from(text), size),
    signal: new AbortController().signal,
  })()

/** Reads the rows as `[line, state, fault]`. */
const readRows = async (
  format: Format,
  text: string | Uint8Array,
  fields = wholeRow,
  size?: number,
) => {
  const opened = await openText(format, text, fields, size)
  if (E.isLeft(opened)) throw new Error(JSON.stringify(opened.left))
  const rows: Row[] = []
  for await (const row of opened.right) rows.push(row)
  assert.equal(
    rows.map(({ index }) => index),
    rows.map((_, index) => index),
  )
  return rows.map(
    ({ line, state, fault }) =>
      [line, state === undefined ? undefined : encodeText(state), fault] as const,
  )
}

test('a line of 16 MiB is a row, one byte more a fault', async () => {
  const most = 16 << 20
  const long = (length: number) => `"${'x'.repeat(length - 2)}"\r\n`
  const rows = await readRows('jsonl', `\ufeff${long(most)}${long(most + 1)}1\n`, wholeRow, 1 << 16)
  assert.equal(
    rows.map(([line, state, fault]) => [line, state?.length, fault]),
    [
      [1, most, undefined],
      [2, undefined, 'exceeds 16 MiB'],
      [3, 1, undefined],
    ],
  )
})

test('lines are texts; only empty ones are blank', async () => {
  const bytes = Buffer.concat([Buffer.from('\ufeffa "b"\r\n\r\n  \n\nlast\r'), Buffer.from([0xff])])
  assert.equal(await readRows('lines', bytes), [
    [1, '"a \\"b\\""', undefined],
    [3, '"  "', undefined],
    [5, undefined, 'invalid UTF-8; try --encoding windows-1252'],
  ])
})

test('CSV records are objects of texts, with the line they begin on', async () => {
  const csv = '\ufeffid,text\r\n1,"he said ""hi"",\r\nand\nleft"\r\n\r\n2,x\r\n3,\n"",'
  for (const size of [1, 3, 1000])
    assert.equal(await readRows('csv', csv, wholeRow, size), [
      [2, '{"id":"1","text":"he said \\"hi\\",\\r\\nand\\nleft"}', undefined],
      [6, '{"id":"2","text":"x"}', undefined],
      [7, '{"id":"3","text":""}', undefined],
      [8, '{"id":"","text":""}', undefined],
    ])
})

test('a byte order mark is not a part of the quoted CSV column after it', async () => {
  for (const size of [1, 2, 1000])
    assert.equal(await readRows('csv', '\ufeff"two\nlines",b\n1,2\n', wholeRow, size), [
      [3, '{"two\\nlines":"1","b":"2"}', undefined],
    ])
})

test('a CSV record that is ragged or badly quoted does not affect other records', async () => {
  const csv = Buffer.concat([
    Buffer.from('a,b\n1\n1,2,3\nx"y,2\n"x"y,2\n'),
    Buffer.from([0x31, 0x2c, 0xff, 0x0a]),
    Buffer.from('ok,ok\n1,"never closed\nok,ok\n'),
  ])
  assert.equal(await readRows('csv', csv), [
    [2, undefined, '1 field, the header has 2'],
    [3, undefined, '3 fields, the header has 2'],
    [4, undefined, 'invalid CSV: a quote stands inside a field that does not begin with one'],
    [
      5,
      undefined,
      'invalid CSV: a closing quote is not followed by a delimiter or the end of the record',
    ],
    [6, undefined, 'invalid CSV: invalid UTF-8; try --encoding windows-1252'],
    [7, '{"a":"ok","b":"ok"}', undefined],
    [8, undefined, 'invalid CSV: a quoted field is not closed'],
  ])
})

test('reads quoted CSV fields back', async () => {
  const fieldText = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fieldText, fieldText), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      async (records, size) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const csv = ['x,y', ...records.map((record) => record.map(quoted).join())].join('\n')
        const rows = await readRows('csv', csv, wholeRow, size)
        assert.equal(
          rows.map(([, state]) => JSON.parse(state ?? 'null')),
          records.map(([x, y]) => ({ x, y })),
        )
      },
    ),
    { numRuns: 100 },
  )
})

test('refuses a CSV header that lacks a named column or has a column twice', async () => {
  const describeOpening = async (csv: string, fields = wholeRow) => {
    const opened = await openText('csv', csv, fields)
    return E.isLeft(opened) && opened.left._tag === 'Usage' ? opened.left.message : 'open'
  }
  const lacks = { ...wholeRow, id: 'key' }
  assert.is(
    await describeOpening('a,b\n', lacks),
    'read rows: rows: the CSV header has no column "key"',
  )
  assert.match(await describeOpening('a,keys\n', lacks), 'has no column "key"; did you mean keys?')
  assert.match(
    await describeOpening('a|key\n', lacks),
    `is one column, "a|key": pass --delimiter '|'`,
  )
  assert.is(
    await describeOpening('a,b,a\n'),
    'read rows: rows: the CSV header has the column "a" twice',
  )
  assert.is(
    await describeOpening('\n"a\n'),
    'read rows: rows: line 2: the CSV header: a quoted field is not closed',
  )
  assert.is(await describeOpening('', lacks), 'open')
})

/** Reads the states of a CSV input. Returns the message if it cannot be opened or read. */
const readCsv = async (bytes: Uint8Array, form: TextForm = {}, size = 1 << 20) => {
  const source = {
    name: 'rows',
    format: 'csv' as const,
    fields: wholeRow,
    chunks: splitBytes(Buffer.from(bytes), size),
  }
  const opened = await openRows({
    ...source,
    ...form,
    signal: new AbortController().signal,
  } as const)()
  if (E.isLeft(opened)) return opened.left._tag === 'Usage' ? opened.left.message : opened.left._tag
  const rows: Row[] = []
  try {
    for await (const row of opened.right) rows.push(row)
  } catch (error) {
    return String(error)
  }
  return rows.map(({ state, fault }) =>
    state === undefined ? fault : JSON.parse(encodeText(state).toString()),
  )
}

test('the delimiter is the one that splits the header into the most fields outside quotes', async () => {
  const read = (text: string, form?: TextForm) => readCsv(Buffer.from(text), form, 3)
  assert.equal(await read('a;b\n"1;2";3,5\n'), [{ a: '1;2', b: '3,5' }])
  assert.equal(await read('\ufeff"a,b,c";d\n1;2\n'), [{ 'a,b,c': '1', d: '2' }])
  assert.equal(await read('a\tb,c\td\n1\t2\t3\n'), [{ a: '1', 'b,c': '2', d: '3' }])
  assert.equal(await read('a,b;c\n1,2\n'), [{ a: '1', 'b;c': '2' }])
  assert.equal(await read('a\n1;2\n'), [{ a: '1;2' }])
  assert.equal(await read('a|b\n1|2\n', { delimiter: '|' }), [{ a: '1', b: '2' }])
})

test('text is decoded as --encoding says, windows-1252 as browsers decode it', async () => {
  const german = Buffer.concat([
    Buffer.from('text;preis\nsch'),
    Buffer.from([0xf6, 0x6e, 0x20, 0x84, 0x61, 0x93, 0x3b, 0x35, 0x80]),
  ])
  for (const encoding of ['windows-1252', 'latin1'])
    assert.equal(await readCsv(german, { encoding }, 2), [{ text: 'schön „a“', preis: '5€' }])
  assert.equal(await readCsv(german), ['invalid CSV: invalid UTF-8; try --encoding windows-1252'])
})

test('UTF-16 with its byte order mark is read without --encoding', async () => {
  const text = Buffer.from('\ufeffa\tb\r\nä\tö\r\n', 'utf16le')
  for (const size of [1, 5, 1000]) assert.equal(await readCsv(text, {}, size), [{ a: 'ä', b: 'ö' }])
})

test('a text that is not valid in its encoding is refused with its line', async () => {
  const text = Buffer.concat([Buffer.from('a\nb\n'), Buffer.from([0x80, 0x0a])])
  assert.match(
    String(await readCsv(text, { encoding: 'shift_jis' })),
    'line 3: the text is not valid shift_jis',
  )
})

test('refuses an Excel workbook by its content', async () => {
  for (const start of ['PK\x03\x04rest', '\xd0\xcf\x11\xe0rest'])
    assert.match(
      String(await readCsv(Buffer.from(start, 'latin1'), {}, 1)),
      'this is an Excel workbook',
    )
})

test('yes and no are read in the words of spreadsheets in other languages', () => {
  for (const word of ['WAHR', 'ja', 'Oui', 'VERDADERO', 'sí', 'si', 'Y', '1'])
    assert.is(parseYesNo(word), true, word)
  for (const word of ['FALSCH', 'nein', 'non', 'FAUX', 'falso', 'n', '0'])
    assert.is(parseYesNo(word), false, word)
  assert.is(parseYesNo('vielleicht'), undefined)
})

const noul = { type: 'noul' } as const
const choice = {
  type: 'choice',
  criteria: [
    ['calm', null],
    ['1', null],
  ],
} as const
const score = { type: 'score', criteria: [parseValue('"a"'), parseValue('"b"')] } as const
const labels: Fields['labels'] = [
  { id: 'n', question: noul, field: 'yes' },
  { id: 'c', question: choice, field: 'tone' },
  { id: 's', question: score, field: 'level' },
]
const fields: Fields = { ...wholeRow, id: 'id', labels }

const divide = (row: string, about = fields) => {
  const { state, id, group, labels: found, fault } = divideRow(parseValue(row), about)
  return {
    ...(state !== undefined && { state: encodeText(state) }),
    ...(id !== undefined && { id: encodeText(id) }),
    ...(group !== undefined && { group: encodeText(group) }),
    ...(found && { labels: found.map(([name, label]) => `${name}=${encodeText(label)}`).join() }),
    ...(fault !== undefined && { fault }),
  }
}

/** Comparing each column with all others would take minutes. */
test('finds a repeated column in a CSV header of 300,000 columns', async () => {
  const columns = Array.from({ length: 300_000 }, (_, column) => `c${column}`)
  const opened = await openText('csv', `${columns.join(',')},c299999\n`)
  assert.ok(E.isLeft(opened))
  if (E.isRight(opened)) return
  assert.match(JSON.stringify(opened.left), 'has the column \\"c299999\\" twice')
})

test('removes labels from the state, so that they are never sent', () => {
  const row = '{"id": 1.0, "yes": true, "yes": "0", "tone": "calm", "level": 1, "text": "x"}'
  assert.equal(divide(row), {
    state: '{"id":1.0,"text":"x"}',
    id: '1.0',
    labels: 'n=false,c="calm",s=1',
  })
  assert.equal(divide('{"id":"a","yes":null,"tone":"","text":"x"}'), {
    state: '{"id":"a","text":"x"}',
    id: '"a"',
  })
  assert.is(divide('{"id":1,"tone":1,"level":"0"}').labels, 'c="1",s=0')
})

test('reads labels from text in any letter case', () => {
  for (const [yes, is] of [
    ['TRUE', true],
    ['Yes', true],
    ['nO', false],
    ['False', false],
  ] as const)
    assert.is(divide(`{"id":1,"yes":"${yes}"}`).labels, `n=${is}`)
  assert.is(divide('{"id":1,"level":"1.0"}').labels, 's=1')
})

const takes = {
  yes: 'no label of "n": it takes true, false, yes, no, 1 or 0',
  tone: 'no label of "c": it takes "calm", "1"',
  level: 'no label of "s": it takes 0 to 1',
}
for (const [name, value, shown] of [
  ['yes', '"maybe"', '"maybe"'],
  ['yes', '2', '"2"'],
  ['yes', '[]', 'an object or array'],
  ['tone', '"angry"', '"angry"'],
  ['level', '2', '"2"'],
  ['level', '"1.5"', '"1.5"'],
] as const)
  test(`a label that the question does not have is a fault: ${name} ${value}`, () => {
    const { fault, state } = divide(`{"id":1,"${name}":${value}}`)
    assert.is(fault, `the field "${name}" is ${shown}, ${takes[name]}`)
    assert.is(state, '{"id":1}')
  })

test('a missing field is a fault, and so is a row without fields', () => {
  const all = { state: 'text', id: 'id', group: 'group', labels: [], images: [] }
  assert.equal(divide('{"text":[1, 2],"id":null,"group":{}}', all), {
    state: '[1,2]',
    id: 'null',
    group: '{}',
  })
  assert.is(divide('{"id":1,"group":1}', all).fault, 'the field "text" is missing')
  assert.is(divide('{"text":1,"group":1}', all).fault, 'the field "id" is missing')
  assert.is(divide('{"text":1,"id":1}', all).fault, 'the field "group" is missing')
  assert.is(divide('[1]', all).fault, 'the row must be an object with the field "text"')
  // The whole row is the state, even if another field is missing.
  assert.equal(divide('[1]', { ...wholeRow, id: 'id' }), {
    state: '[1]',
    fault: 'the row must be an object with the field "id"',
  })
})

test('the shards together have every row once, with any limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(30),
      fc.option(fc.nat(40), { nil: undefined }),
      fc.integer({ min: 1, max: 7 }),
      async (count, limit, of) => {
        const indexes = async (shard?: { readonly number: number; readonly of: number }) => {
          const all: number[] = []
          const rows = (async function* () {
            for (let index = 0; index < count; index++) yield { index, line: index + 1 }
          })()
          for await (const { index } of selectRows(rows, limit, shard)) all.push(index)
          return all
        }
        const shards: number[] = []
        for (let number = 1; number <= of; number++) shards.push(...(await indexes({ number, of })))
        assert.equal(
          shards.sort((a, b) => a - b),
          await indexes(),
        )
      },
    ),
    { numRuns: 50 },
  )
})

test.run()
