import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bundleFiles } from '../../lib/review/bundle'
import type { Files } from '../../lib/runtime/runtime'
import { memoryFiles } from '../support/files'

const test = suite('review: bundle')

const { files } = memoryFiles({
  '/repo/a.ts': 'const a = 1\n',
  '/repo/b.ts': 'const b = 2',
  '/abs/c.ts': 'const c = 3\r\n',
  '/repo/e.ts': 'é€😀',
  '/repo/empty.ts': '',
  '/repo/bom.ts': '\ufeffx',
  '/repo/latin.ts': Uint8Array.of(0x61, 0xe9, 0x62),
})
const never = new AbortController().signal
const reading = { files, folder: '/repo', followLinks: false }
const run = (paths: ReadonlyArray<string>, budget: number) =>
  bundleFiles(reading, 'implementation', paths, budget, never)()

const a = '// file: a.ts\nconst a = 1\n'
const marker = '// ...(truncated)'

type Row = readonly [title: string, paths: ReadonlyArray<string>, budget: number, text: string]

/** Files, a budget and the text, with its size before any cut. */
const table: ReadonlyArray<readonly [...Row, size: number]> = [
  ['paths keep their form', ['./x/../a.ts'], 100, '// file: ./x/../a.ts\nconst a = 1\n', 33],
  ['no files make an empty text', [], 0, '', 0],
  ['an empty file leaves its header', ['empty.ts', 'a.ts'], 99, `// file: empty.ts\n${a}`, 44],
  ['a text of exactly the budget is not cut', ['a.ts'], 26, a, 26],
  ['a cut text ends with the marker on a line of its own', ['a.ts'], 25, a + marker, 26],
  ['a cut behind the header', ['a.ts'], 14, `// file: a.ts\n${marker}`, 26],
  ['a cut before everything', ['a.ts'], 0, marker, 26],
]
for (const [title, paths, budget, text, size] of table)
  test(title, async () =>
    assert.equal(
      await run(paths, budget),
      E.right({ text, truncated: text.endsWith(marker), size }),
    ),
  )

test('every cut falls on a character boundary, as close below the budget as one is', async () => {
  const header = '// file: e.ts\n'
  const kept = ['', '', 'é', 'é', 'é', 'é€', 'é€', 'é€', 'é€']
  for (const [extra, text] of kept.entries()) {
    const gap = text === '' ? '' : '\n'
    assert.equal(
      await run(['e.ts'], header.length + extra),
      E.right({ text: `${header}${text}${gap}// ...(truncated)`, truncated: true, size: 23 }),
    )
  }
})

test('a byte order mark is dropped, invalid UTF-8 replaced', async () => {
  const text = '// file: bom.ts\nx\n// file: latin.ts\na\ufffdb'
  const expected = { text, truncated: false, size: 41 }
  assert.equal(await run(['bom.ts', 'latin.ts'], 99), E.right(expected))
})

test('no more of a large file is read than the budget and one character', async () => {
  const limits: number[] = []
  const counted: Files = {
    ...files,
    readRegular: (path, options) => {
      limits.push(options.limit)
      return files.readRegular(path, options)
    },
  }
  const large = { ...reading, files: counted }
  const result = await bundleFiles(large, 'test', ['a.ts', 'b.ts', 'empty.ts'], 40, never)()
  const text = '// file: a.ts\nconst a = 1\n// file: b.ts\n// ...(truncated)'
  assert.equal(result, E.right({ text, truncated: true, size: 70 }))
  assert.equal(limits, [44, 18, 4])
})

test.run()
