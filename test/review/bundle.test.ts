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
  '/repo/empty.ts': '',
})
const never = new AbortController().signal
const rules = { files, folder: '/repo', followLinks: false }
const run = (paths: ReadonlyArray<string>, budget: number) =>
  bundleFiles(rules, 'implementation', paths, budget, never)()

const a = '// file: a.ts\nconst a = 1\n'
const marker = '// ...(truncated)'

type Row = readonly [title: string, paths: ReadonlyArray<string>, budget: number, text: string]

/** Files, a budget and the text, with its size before any cut. */
const table: ReadonlyArray<readonly [...Row, size: number]> = [
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

test('reads at most the budget and one character of a large file', async () => {
  const limits: number[] = []
  const counted: Files = {
    ...files,
    readRegular: (path, options) => {
      limits.push(options.limit)
      return files.readRegular(path, options)
    },
  }
  const large = { ...rules, files: counted }
  const result = await bundleFiles(large, 'test', ['a.ts', 'b.ts', 'empty.ts'], 40, never)()
  const text = '// file: a.ts\nconst a = 1\n// file: b.ts\n// ...(truncated)'
  assert.equal(result, E.right({ text, truncated: true, size: 70 }))
  assert.equal(limits, [44, 18, 4])
})

test.run()
