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

test('paths keep the form they have in the configuration', async () => {
  const text = '// file: ./x/../a.ts\nconst a = 1\n'
  assert.equal(await run(['./x/../a.ts'], 100), E.right({ text, truncated: false, size: 33 }))
})

test('no files make an empty text', async () => {
  assert.equal(await run([], 0), E.right({ text: '', truncated: false, size: 0 }))
})

test('an empty file leaves its header', async () => {
  const text = '// file: empty.ts\n// file: a.ts\nconst a = 1\n'
  assert.equal(await run(['empty.ts', 'a.ts'], 99), E.right({ text, truncated: false, size: 44 }))
})

test('a text of exactly the budget is not cut', async () => {
  const text = '// file: a.ts\nconst a = 1\n'
  assert.equal(await run(['a.ts'], 26), E.right({ text, truncated: false, size: 26 }))
})

test('a cut text ends with the marker on a line of its own', async () => {
  assert.equal(
    await run(['a.ts'], 25),
    E.right({
      text: '// file: a.ts\nconst a = 1\n// ...(truncated)',
      truncated: true,
      size: 26,
    }),
  )
  assert.equal(
    await run(['a.ts'], 14),
    E.right({ text: '// file: a.ts\n// ...(truncated)', truncated: true, size: 26 }),
  )
  assert.equal(
    await run(['a.ts'], 0),
    E.right({ text: '// ...(truncated)', truncated: true, size: 26 }),
  )
})

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
